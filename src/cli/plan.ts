/** `holdfast plan`: the identity of a plan document, the plans of a session, and forgetting what it remembered. */
import { existsSync } from "node:fs";
import { eraseSnapshots } from "../engine/erase-snapshots.ts";
import { LOCAL_OWNER, PlanStore } from "../engine/plan-store.ts";
import { hashPrefix, type PlanIdentity } from "../plan/identity.ts";
import { parseRecordedPrefix, withScopeSets } from "../plan/recorded-prefix.ts";
import type { Epoch, SessionPlans } from "../session/session-plans.ts";
import type { EventStore, Owner } from "../store/event-store.ts";
import { openStore, withoutPassword } from "../store/open-store.ts";
import type { Command, Invocation } from "./command.ts";
import { CONFIG_FLAGS, readConfig } from "./config.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { readJsonDocument, withFileName } from "./json-document.ts";
import { list, writeJson, writeLine } from "./output.ts";
import { describePlan, describeSession, toPlanRecord, toSessionRecord } from "./plan-record.ts";
import { usageError } from "./usage-error.ts";

const CONFIG = ["config", "store"] as const;

export const plan: Command = {
  name: "plan",
  operands: "identity FILE | show|epochs|erase-snapshot SESSION",
  about:
    'identity: prints the two hashes of {"conversation", "tools", "deferred_tools"?}, and those of the document with its ' +
    "scope lists in the order found, as an older encoder would have hashed it; FILE may be - for stdin. show: the newest " +
    "plan of a session. epochs: how it came there. Exit code 1 when an epoch has two prefix hashes. erase-snapshot: removes " +
    "the memory texts of a session from the store for good; its plans and their hashes stay, and the next run plans anew.",
  flags: [
    ...CONFIG.map((flag) => CONFIG_FLAGS[flag]),
    { name: "tenant", value: "NAME", about: `whose session it is, ${LOCAL_OWNER.tenant} without it` },
    { name: "principal", value: "NAME", about: `whose session it is, ${LOCAL_OWNER.principal} without it` },
    { name: "json", about: "print one JSON document" },
  ],
  run: runPlan,
};

const VERBS = ["identity", "show", "epochs", "erase-snapshot"];

async function runPlan(invocation: Invocation): Promise<ExitCode> {
  const [verb = "", operand, ...more] = invocation.operands;
  if (!VERBS.includes(verb)) {
    throw usageError(
      `plan ${verb === "" ? "needs a verb" : `${verb} is unknown`}; use plan identity FILE, or plan show, epochs or erase-snapshot SESSION`,
    );
  }
  if (operand === undefined || more.length > 0) {
    throw usageError(`plan ${verb} takes one ${verb === "identity" ? "FILE, or - for stdin" : "SESSION"}`);
  }
  const json = invocation.isOn("json");
  if (verb === "identity") return showIdentity(operand, json);
  return await withSession(operand, invocation, async (plans, stores) => {
    if (verb === "erase-snapshot") return showErased(operand, await eraseSnapshots(stores, operand), json);
    return verb === "show" ? showPlan(plans.at(-1)!, json) : showEpochs(operand, plans, json);
  });
}

/** Looking makes no store. */
async function withSession(
  session: string,
  invocation: Invocation,
  use: (plans: SessionPlans, stores: { store: EventStore; owner: Owner }) => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  const { store: url } = await readConfig(invocation, CONFIG, process.env);
  const owner = {
    tenant: invocation.value("tenant") ?? LOCAL_OWNER.tenant,
    principal: invocation.value("principal") ?? LOCAL_OWNER.principal,
  };
  const where = `the store ${withoutPassword(url)} has no session ${session} of tenant ${owner.tenant}, principal ${owner.principal}`;
  const unknown = usageError(`${where}; name another with --store, --tenant, --principal`);
  if (url.startsWith("sqlite:") && !existsSync(url.slice("sqlite:".length))) throw unknown;
  const store = await openStore(url);
  try {
    const { plans } = await new PlanStore(store, owner).allPlans(session);
    if (plans.length === 0) throw unknown;
    return await use(plans, { store, owner });
  } finally {
    await store.close();
  }
}

function showPlan(epoch: Epoch, json: boolean): ExitCode {
  if (json) writeJson(toPlanRecord(epoch));
  else writeLine(describePlan(epoch));
  return EXIT.fine;
}

function showEpochs(session: string, plans: SessionPlans, json: boolean): ExitCode {
  const record = toSessionRecord(session, plans);
  if (json) writeJson(record);
  else writeLine(describeSession(record));
  return record.split_epochs.length > 0 ? EXIT.findings : EXIT.fine;
}

function showErased(session: string, sha256: readonly string[], json: boolean): ExitCode {
  if (json) writeJson({ schema: 1, session, erased: sha256 });
  else if (sha256.length === 0) writeLine(`The store holds no memory text of session ${session}.`);
  else {
    writeLine(`Erased ${sha256.length} memory ${sha256.length === 1 ? "text" : "texts"} of session ${session}:`);
    writeLine(list(sha256.map((hash) => ["snapshot", hash])));
    writeLine("Its plans and their hashes stay. The next run plans anew. Backups of the store are not reached.");
  }
  return EXIT.fine;
}

async function showIdentity(path: string, json: boolean): Promise<ExitCode> {
  const document = await readJsonDocument(path);
  const { identity, recorded } = withFileName(path, () => {
    const prefix = parseRecordedPrefix(document);
    return { identity: hashPrefix(withScopeSets(prefix)), recorded: hashPrefix(prefix) };
  });
  if (json) writeJson({ schema: 1, ...identity, recorded });
  else {
    writeLine(describeIdentity(identity));
    writeLine(`recorded, with scope lists in the order found:\n${describeIdentity(recorded)}`);
  }
  return EXIT.fine;
}

function describeIdentity({ prefixSha256, toolSchemaSha256 }: PlanIdentity): string {
  return list([
    ["prefix", prefixSha256],
    ["tools", toolSchemaSha256],
  ]);
}
