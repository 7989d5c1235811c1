/** Who may import whom (ARCHITECTURE.md, "Layers"). */
import { posix } from "node:path";
import type { SourceFile } from "./source-file.ts";

/**
 * From the bottom up. A folder may import itself and every folder of a line below its own. Inside one line the folders
 * of `ordered` may also import what stands to their left; all others do not know each other.
 */
const LAYERS: readonly { readonly folders: readonly string[]; readonly ordered?: true }[] = [
  { folders: ["lib"] },
  { folders: ["wire", "store"] },
  { folders: ["authority", "plan", "dispatch", "cache"], ordered: true },
  { folders: ["session"] },
  { folders: ["engine"] },
  { folders: ["transcripts", "report", "corpus"], ordered: true },
  { folders: ["hosts", "gateway", "dashboard", "testing"] },
  { folders: ["cli"] },
];

/** The simulated provider has to be able to disagree with the gate, so it shares nothing with it. */
const FORBIDDEN = new Map([["testing", ["dispatch", "wire"]]]);

export function findForbiddenImports(files: readonly SourceFile[]): string[] {
  const sources = files.filter(({ path }) => /^src\/.+\/.+\.ts$/.test(path) && !path.endsWith(".test.ts"));
  return sources.flatMap((file) =>
    listImports(file)
      .filter((target) => !mayImport(file.path, target))
      .map((target) => `${file.path} imports ${target}`),
  );
}

function listImports({ path, text }: SourceFile): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) => match[1]!);
  return specifiers.map((specifier) => posix.join(posix.dirname(path), specifier));
}

function mayImport(from: string, to: string): boolean {
  const source = from.split("/")[1]!;
  const target = to.split("/")[1]!;
  if (source === target) return source !== "hosts" || !isOtherHost(from, to);
  if (FORBIDDEN.get(source)?.includes(target)) return false;
  const sourceLayer = LAYERS.findIndex(({ folders }) => folders.includes(source));
  const targetLayer = LAYERS.findIndex(({ folders }) => folders.includes(target));
  if (sourceLayer === -1 || targetLayer === -1) return false;
  if (sourceLayer !== targetLayer) return targetLayer < sourceLayer;
  const { folders, ordered } = LAYERS[sourceLayer]!;
  return ordered === true && folders.indexOf(target) < folders.indexOf(source);
}

/** `hosts/pi/…` and `hosts/omp/…` do not know each other; files directly below `hosts/` belong to all of them. */
function isOtherHost(from: string, to: string): boolean {
  const [, , source, isInFolder] = from.split("/");
  const [, , target, isTargetInFolder] = to.split("/");
  return isInFolder !== undefined && isTargetInFolder !== undefined && source !== target;
}
