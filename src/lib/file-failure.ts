/** Why a file or folder could not be read, in the words of the person who named it; fits behind the name and a colon. */
export function describeFileFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code !== undefined && WORDS[code]) || message;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "no permission to read it",
  EPERM: "no permission to read it",
  EISDIR: "it is a folder",
  ENOTDIR: "it is a file, not a folder",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "the name is too long",
};
