/** `/holdfast` in an agent that has commands. In print mode nothing shows messages, so the text goes to stderr. */
import { expect, test } from "vitest";
import { proves } from "../matrix/proves.ts";
import { useBuiltPackage } from "./built-package.ts";
import { setDirectStage } from "./direct-stage.ts";
import type { ExtendedHost } from "./extension-suite.ts";

export function describeCommand({ host, open }: ExtendedHost, model: string): void {
  const holdfast = useBuiltPackage();

  test(`HO-6 ${host} knows /holdfast, and asks no model about it`, proves(host, ["/holdfast"]), async () => {
    const stage = await setDirectStage();
    const { agent, install } = await open(stage, model);
    install(holdfast.folder);
    const { errors } = await agent.start("/holdfast").ended;
    expect(errors).toContain("Holdfast: 0 requests of this session\nVerdicts: none\n");
    expect(stage.provider.requests).toEqual([]);
  });
}
