/** A provider's 4xx in our words: which rule, and which place of the body the text names. */
import type { Rule } from "../dispatch/rule.ts";
import { rulesOf } from "../dispatch/rules/rules.ts";
import type { Api } from "../wire/api.ts";
import type { ProviderError } from "../wire/response.ts";

/** Rules of the api whose words or machine codes the error carries. */
export function rulesBehind(api: Api, error: ProviderError): readonly Rule[] {
  const text = `${error.code ?? ""} ${error.message}`;
  return rulesOf(api).filter((rule) => rule.match.some((pattern) => pattern.test(text)));
}

/** `messages.3.content.0` or `input[3].name` as a JSON pointer. */
export function pathIn(message: string): string | null {
  const found = /\b(messages|input|tools|system|contents)((?:\.\w+|\[\d+\])+)/.exec(message);
  if (found === null) return null;
  const steps = found[2]!
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .split(".")
    .filter((step) => step !== "" && step !== "custom");
  return `/${found[1]}/${steps.join("/")}`;
}

const MESSAGE_CHARACTERS_MAX = 300;

/** The provider's words without what a prompt or a key could have put into them: quoted parts and long words are cut. */
export function redactedMessage(message: string): string {
  const redacted = message
    .replaceAll(/(["'])(?:(?!\1).){41,}\1/gs, '"…"')
    .replaceAll(/\b(sk|key|tok|Bearer)[-_ ][\w-]{8,}/gi, "…")
    .replaceAll(/\S{81,}/g, "…");
  return redacted.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed();
}
