/** Identities and plans on the command line. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { LOCAL_OWNER, PlanStore, sessionStream } from "../../src/engine/plan-store.ts";
import { startRun } from "../../src/engine/start-run.ts";
import { sha256Hex } from "../../src/lib/sha256.ts";
import { PLAN_CREATED } from "../../src/plan/plan-event.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type Ended, runProgram } from "../cli/program.ts";
import { temporaryFolder } from "../store/temporary-folder.ts";
import { agentOfForeignPlan, readForeignPlan, SCOPES } from "./foreign-plan.ts";

function checkFine(ended: Ended, stdout: unknown) {
  expect(ended).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(ended.stdout)).toEqual(stdout);
}

function checkBroken(ended: Ended, stderr: RegExp) {
  expect(ended).toMatchObject({ status: 2, stdout: "" });
  expect(ended.stderr).toMatch(stderr);
  expect(ended.stderr.trim().split("\n")).toHaveLength(1);
}

const VECTORS = [
  ['{"b":1,"10":2,"9":3,"01":4}', "53a1c7235176e09095fa2d4b868e7ba793fbb308408aef24e6c8560e63b247f5"],
  ['{"\uff5e":1,"\u{1f600}":2,"a":3}', "16580ab8f40757326c0e99a20183717061f50649ebe20668f2cc441ad48bf2e4"],
  ['{"__proto__":{"x":1},"constructor":2,"a":3}', "1bb2dcbec7110b1507b70e22055aafae621b293d93d4edbf52552248ddd98251"],
  ['{"nfc":"\u00e9","nfd":"e\u0301"}', "79eae438d105e852f86ea598ffdda91643386fad0b4f336b941528d30fbf1558"],
  ['{"a":null,"b":[true,false,null],"c":""}', "f20d438ce67e93dd33f8cfc24d6077d3f08c0d3a3f47ae31ab0d11b3bacf6705"],
  ['{"maximum":9223372036854775807}', "2241ba6afc5fa4163e9f0b2e1c3aaba2cda97119eb82d6dfe55e9202b97e05e6"],
] as const;

test("PI-7 the vectors hold through holdfast hash", async () => {
  for (const [input, sha256] of VECTORS) {
    expect(await runProgram(["hash", "-"], { input })).toMatchObject({ status: 0, stdout: `${sha256}\n`, stderr: "" });
  }
  checkFine(await runProgram(["hash", "-", "--json"], { input: VECTORS[0][0] }), { schema: 1, sha256: VECTORS[0][1] });
});

test("PI-7 PV8 and PV9 hold through holdfast plan identity", async () => {
  const row = { kind: "system", trust: "platform", content: [{ kind: "text", text: "P" }] };
  const tool = { name: "mail.flag", version: "1", required_scopes: [...SCOPES].reverse() };
  const input = JSON.stringify({ conversation: [row], tools: [tool] });
  checkFine(await runProgram(["plan", "identity", "-", "--json"], { input }), {
    schema: 1,
    prefixSha256: "38f2d03e68b8ea8ea66054b5ed439a8149aaaa802041069dcf4c7893c0ac8c7a",
    toolSchemaSha256: "44daf0351d107dc115a8f5b1bfc42e95a055872ccbaa493bf640e8e0f37b138f",
    recorded: {
      prefixSha256: "a7f08c5f6055150ff3561ce2f97dc6877372084bc7095c649ebcd09d9f117614",
      toolSchemaSha256: "77c7ba3364795244b917a370017f2fc9d9109b1ce7ff8bbb4ad89b8a9d916963",
    },
  });
});

test("CL-1 what has no identity is one line that names file and place, and exit code 2", async () => {
  const hash = (input: string) => runProgram(["hash", "-"], { input });
  const identity = (input: string) => runProgram(["plan", "identity", "-"], { input });
  checkBroken(await hash('{\n "a": tru }'), /-:2:7: expected a JSON value/);
  checkBroken(await hash('{"a":{"b":-0}}'), /-: \/a\/b has no canonical form: it holds -0/);
  checkBroken(await hash('{"a":1,"a":1}'), /-: \/a has no canonical form: .* stands twice/);
  checkBroken(await identity('{"conversation":[]}'), /-: \/tools must be an array/);
  checkBroken(
    await identity('{"conversation":[],"tools":[{"name":"a","required_scopes":["x","x"]}]}'),
    /\/tools\/0\/required_scopes/,
  );
  checkBroken(await runProgram(["hash", "no-such-file.json"]), /no-such-file.json: no such file or folder/);
  checkBroken(await runProgram(["plan", "shows", "x"]), /plan shows is unknown/);
});

test("PI-17 plan show and plan epochs say what the store holds, and a split epoch is a finding", async () => {
  const path = join(temporaryFolder(), "plans.db");
  const url = `sqlite:${path}`;
  const look = (verb: string, ...more: string[]) =>
    runProgram(["plan", verb, "main", "--store", url, "--tenant", "house", "--principal", "ada", ...more]);
  checkBroken(await look("show"), /has no session main of tenant house, principal ada/);
  const store = await openStore(url);
  const owner = { tenant: "house", principal: "ada" };
  await store.append(owner, sessionStream("main"), 0, [
    { type: PLAN_CREATED, data: readForeignPlan("unsorted_scopes") },
  ]);
  await startRun({ store, owner }, { session: "main", run: "first", scopes: SCOPES, agent: agentOfForeignPlan() });
  const epochs = [
    { epoch: 1, verb: "create", encoding: "unsorted_scopes", problem: null },
    { epoch: 2, verb: "rekey", reason: "prefix_hash_canonicalized", encoding: "canonical", problem: null },
  ];
  const shown = await look("epochs", "--json");
  expect(JSON.parse(shown.stdout)).toMatchObject({ schema: 1, session: "main", epochs, split_epochs: [] });
  expect(JSON.parse((await look("show", "--json")).stdout)).toMatchObject({
    epoch: 2,
    authority_scopes: 2,
    tools: [{ name: "mail.flag" }],
  });
  expect((await look("epochs")).stdout).toMatch(/2 epochs\n {2}1 create .*\n {2}2 rekey /);

  const { plans } = await new PlanStore(store, owner).allPlans("main");
  const [first] = plans;
  if (first?.kind !== "plan") throw new Error("the first plan is readable");
  await new PlanStore(store, owner).appendPlan("main", 2, { ...first, plan: { ...first.plan, epoch: 2 } });
  await store.close();
  expect(await look("epochs")).toMatchObject({
    status: 1,
    stdout: expect.stringContaining("epoch 2 has 2 prefix hashes"),
  });
});

test("PI-12 plan erase-snapshot removes the memory texts of a session, and says which", async () => {
  const url = `sqlite:${join(temporaryFolder(), "plans.db")}`;
  const erase = (session: string, ...more: string[]) =>
    runProgram(["plan", "erase-snapshot", session, "--store", url, ...more]);
  checkBroken(await erase("main"), /has no session main of tenant local, principal local/);
  const store = await openStore(url);
  const request = { session: "main", run: "1", scopes: SCOPES, agent: agentOfForeignPlan(), memoryText: "Likes tea." };
  await startRun({ store, owner: LOCAL_OWNER }, request);
  await store.close();

  const sha256 = sha256Hex("Likes tea.");
  checkFine(await erase("main", "--json"), { schema: 1, session: "main", erased: [sha256] });
  checkFine(await erase("main", "--json"), { schema: 1, session: "main", erased: [] });
  expect((await erase("main")).stdout).toBe("The store holds no memory text of session main.\n");
  const shown = await runProgram(["plan", "show", "main", "--store", url, "--json"]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ epoch: 1, rows: expect.arrayContaining(["memory"]) });
});
