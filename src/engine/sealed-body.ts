/** Requests whose headers promise what their body is: a repaired one would break the promise (DG-24). */

type Headers = NodeJS.Dict<string | string[]>;

const DIGESTS = ["content-digest", "content-md5", "digest", "repr-digest", "signature", "signature-input"];

/** An AWS signature covers body and host. */
export function isSigned({ authorization }: Headers): boolean {
  return typeof authorization === "string" && authorization.startsWith("AWS4-");
}

export function hasDigest(headers: Headers): boolean {
  return DIGESTS.some((name) => headers[name] !== undefined);
}
