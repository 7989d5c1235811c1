/** From an observed request to the structure that is judged, and to the lane that it belongs to. */
import { type ReadBody, readByDifference, readWhole } from "../dispatch/body-reader.ts";
import { parseBody, readRequest } from "../dispatch/document.ts";
import { rowChainOf } from "../dispatch/row-chain.ts";
import type { Clock } from "../lib/clock.ts";
import type { KeyedHash } from "../lib/keyed-hash.ts";
import { opensOperation } from "../session/lane.ts";
import type { Row, WireRequest } from "../wire/request.ts";
import type { NearestBody } from "./body-shelf.ts";
import type { ObservedRequest, RequestBefore } from "./engine.ts";
import type { Handovers } from "./handovers.ts";
import type { LaneJoin, Lanes, SeenTurn } from "./lanes.ts";
import { movedFrom } from "./moved-prefix.ts";
import { type RequestOwner, RequestOwners } from "./request-owner.ts";
import { type RequestTarget, targetOf } from "./request-target.ts";

export type ReadRequest =
  | {
      readonly kind: "read";
      readonly target: RequestTarget;
      readonly owner: RequestOwner;
      readonly request: WireRequest;
      /** Keyed hash of upstream and credential. */
      readonly namespace: string;
      /** Keyed hash of the agent's own session id; null where it sends none. */
      readonly session: string | null;
      readonly join: LaneJoin;
      readonly opensOperation: boolean;
      /** The model has said more since this process last saw the history than one turn holds. */
      readonly holdsUnseenReplies: boolean;
      readonly body: ReadBody;
      /** What the prompt prefix may have moved from. */
      readonly before: RequestBefore | null;
    }
  | { readonly kind: "unread"; readonly reason: "syntax-fault" | "not-an-object" | "path" };

export class RequestReader {
  readonly lanes: Lanes;
  readonly #handovers: Handovers;
  readonly #owners: RequestOwners;
  readonly #clock: Clock;

  constructor(hash: KeyedHash, clock: Clock, lanes: Lanes, handovers: Handovers) {
    this.lanes = lanes;
    this.#handovers = handovers;
    this.#owners = new RequestOwners(hash);
    this.#clock = clock;
  }

  /** Whoever sends this, as far as headers tell. */
  ownerOf(observed: Pick<ObservedRequest, "upstream" | "headers">): RequestOwner {
    return this.#owners.of(observed);
  }

  read(observed: ObservedRequest): ReadRequest {
    const owner = this.ownerOf(observed);
    const nearest = this.lanes.nearestBody(owner.id, observed.body);
    const body = readBody(observed.body, nearest);
    if ("kind" in body) return { kind: "unread", reason: body.kind };
    const target = targetOf(observed.upstream, observed.path, body.value);
    if (target === null) return { kind: "unread", reason: "path" };
    const request = withModel(readRequest(target.api, body.value, nearest?.chain.rows), target);
    const chain = rowChainOf(request.rows, owner.chainSeed(target.api), nearest?.chain ?? null);
    const { namespace, session } = owner;
    const { handover } = observed;
    const newLane: SeenTurn["newLane"] = (left, isTaken) =>
      this.#handovers.openLane(request, { handover, session, left, isTaken });
    const join = this.lanes.join(owner.id, chain, { model: request.model, now: this.#clock.now(), newLane });
    if (handover === "give") this.#handovers.goOn(request, { id: join.lane.id, session });
    const before = movedFrom(join, body, request);
    this.lanes.keepBody(join.lane, { body, chain }, nearest);
    const replies = repliesIn(request.rows.slice(join.rowsSeen));
    const holdsUnseenReplies = replies > (join.kind === "extends" ? 1 : 0);
    const found = { opensOperation: opensOperation(chain), holdsUnseenReplies };
    return { kind: "read", target, owner, request, namespace, session, join, ...found, body, before };
  }
}

/** One turn of the model may be several rows. */
function repliesIn(rows: readonly Row[]): number {
  return rows.filter(({ role }, index) => role === "assistant" && rows[index - 1]?.role !== "assistant").length;
}

function readBody(
  bytes: Uint8Array,
  nearest: NearestBody | null,
): ReadBody | { kind: "syntax-fault" | "not-an-object" } {
  const difference = nearest === null ? null : readByDifference(bytes, nearest.body, nearest.shared);
  if (difference !== null) return difference;
  const parsed = parseBody(bytes);
  return parsed.kind === "body" ? readWhole(bytes, parsed.value) : { kind: parsed.kind };
}

function withModel(request: WireRequest, target: RequestTarget): WireRequest {
  return request.model !== null || target.modelInPath === null ? request : { ...request, model: target.modelInPath };
}
