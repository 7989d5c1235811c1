/** `/holdfast` in an agent that has commands. In print mode nothing shows messages, so the text goes to stderr. */
import { expect, test } from "vitest";
import { useBuiltPackage } from "./built-package.ts";
import { setDirectStage } from "./direct-stage.ts";
import type { OpenExtendedAgent } from "./extension-suite.ts";

export function describeCommand(name: string, model: string, open: OpenExtendedAgent): void {
  const holdfast = useBuiltPackage();

  test(`HO-6 ${name} knows /holdfast, and asks no model about it`, async () => {
    const stage = await setDirectStage();
    const { agent, install } = await open(stage, model);
    install(holdfast.folder);
    const { errors } = await agent.start("/holdfast").ended;
    expect(errors).toContain("Holdfast: 0 requests of this session\nVerdicts: none\n");
    expect(stage.provider.requests).toEqual([]);
  });
}
