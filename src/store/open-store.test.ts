import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore, withoutPassword } from "./open-store.ts";

test("CL-5 memory: and sqlite:PATH open a store", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "with space ü.db");

  for (const url of ["memory:", `sqlite:${path}`]) {
    const store = await openStore(url);
    expect(await store.counts()).toEqual([]);
    await store.close();
  }
  expect(existsSync(path)).toBe(true);
});

for (const url of ["", "sqlite:", "memory", "mysql://root:secret@db/x", "postgres:", "./holdfast.db"]) {
  test(`CL-5 ${JSON.stringify(url)} is refused with the forms that are known`, async () => {
    const error = await openStore(url).catch((caught) => caught);
    expect(error).toMatchObject({ code: "store_url_invalid", message: expect.stringContaining("sqlite:PATH") });
    expect(error.message).not.toContain("secret");
  });
}

for (const [url, shown] of [
  ["postgres://ada:secret@db:5432/holdfast", "postgres://ada:***@db:5432/holdfast"],
  ["postgres://ada:se@cret:x@db/holdfast", "postgres://ada:***@db/holdfast"],
  ["postgresql://:secret@db/x", "postgresql://:***@db/x"],
  ["postgres://db/x?user=ada&password=secret&ssl=1", "postgres://db/x?user=ada&password=***&ssl=1"],
  ["postgres://db:5432/holdfast", "postgres://db:5432/holdfast"],
  ["sqlite:a:b@c", "sqlite:a:b@c"],
] as const) {
  test(`CL-5 no password is shown in ${shown}`, () => {
    expect(withoutPassword(url)).toBe(shown);
  });
}
