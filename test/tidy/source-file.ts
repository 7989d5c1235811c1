/** The files of the repository as the tidy checks read them. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Everything that git knows or would add, so that a fault is seen before it is committed. */
export function listRepository(): readonly SourceFile[] {
  const names = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    encoding: "utf8",
  });
  const paths = names.split("\0").filter((path) => path !== "" && existsSync(path));
  return paths.map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

/** `path:line` of every match of `pattern`, which has to be global. */
export function findPlaces(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(
      (match) => `${path}:${text.slice(0, match.index).split("\n").length} ${match[0].trim()}`,
    ),
  );
}
