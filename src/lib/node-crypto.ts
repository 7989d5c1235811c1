/**
 * Node's `crypto`, loaded by the first hash: a short command often needs none, and would wait for it a tenth of its time.
 */
let loaded: typeof import("node:crypto") | undefined;

export function nodeCrypto(): typeof import("node:crypto") {
  loaded ??= process.getBuiltinModule("node:crypto");
  return loaded;
}
