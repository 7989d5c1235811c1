/**
 * The ladder of older encodings (PI-34). A plan whose stored hashes are not those of its canonical form may have been
 * hashed in a form that one of these describes; then only its identity is stale. Each is tried against what the plan's
 * own event recorded. Rungs are never removed while sessions of their time can resume.
 */
import { NumberText } from "../lib/canonical-json.ts";
import { toExactNumber } from "../lib/canonical-json-text.ts";
import { isHoldfastError } from "../lib/error.ts";
import { hashPrefix, type PlanIdentity, sameIdentity } from "./identity.ts";
import { type RecordedPrefix, withScopeSets } from "./recorded-prefix.ts";

export interface OlderEncoding {
  readonly name: string;
  /** Scopes were hashed in the order that the event recorded. */
  readonly unsortedScopes: boolean;
  /** How the encoder spelled the numbers that the event holds today; absent where it spelled them canonically. */
  readonly spellNumber?: (written: string) => string;
}

const asWritten = (written: string): string => written;

export const OLDER_ENCODINGS: readonly OlderEncoding[] = [
  { name: "unsorted_scopes", unsortedScopes: true },
  { name: "foreign_floats", unsortedScopes: false, spellNumber: asWritten },
  { name: "unsorted_scopes+foreign_floats", unsortedScopes: true, spellNumber: asWritten },
  // `jsonb` prints 1e-7 as 0.0000001 and 1e21 as a whole number, whatever was hashed before it was stored.
  { name: "jsonb_numbers", unsortedScopes: false, spellNumber: spellAsEcmaScript },
  { name: "unsorted_scopes+jsonb_numbers", unsortedScopes: true, spellNumber: spellAsEcmaScript },
  { name: "foreign_floats+jsonb_numbers", unsortedScopes: false, spellNumber: spellAsPython },
  { name: "unsorted_scopes+foreign_floats+jsonb_numbers", unsortedScopes: true, spellNumber: spellAsPython },
];

export interface EncodingMatch {
  readonly encoding: OlderEncoding;
  /** The identity that the hashed content has today. */
  readonly identity: PlanIdentity;
}

/**
 * The first encoding under which the recording has both stored hashes, or null.
 * @param recorded what the plan's event holds, with numbers as they are written
 */
export function findOlderEncoding(recorded: RecordedPrefix, stored: PlanIdentity): EncodingMatch | null {
  for (const encoding of OLDER_ENCODINGS) {
    const identity = identifyUnder(encoding, recorded, stored);
    if (identity !== null) return { encoding, identity };
  }
  return null;
}

function identifyUnder(encoding: OlderEncoding, recorded: RecordedPrefix, stored: PlanIdentity): PlanIdentity | null {
  const { spellNumber, unsortedScopes } = encoding;
  try {
    const exact = mapNumbers(recorded, (written) => toExactNumber(spellNumber?.(written) ?? written));
    const hashed =
      spellNumber === undefined ? exact : mapNumbers(recorded, (written) => new NumberText(spellNumber(written)));
    if (!sameIdentity(hashPrefix(unsortedScopes ? hashed : withScopeSets(hashed)), stored)) return null;
    return hashPrefix(withScopeSets(exact));
  } catch (error) {
    // Expected: a value that has no canonical form, as another language may have written it.
    if (isHoldfastError(error)) return null;
    throw error;
  }
}

function mapNumbers<T>(value: T, map: (written: string) => unknown): T {
  if (value instanceof NumberText) return map(value.text) as T;
  if (Array.isArray(value)) return value.map((item) => mapNumbers(item, map)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapNumbers(member, map)])) as T;
}

function spellAsEcmaScript(written: string): string {
  return String(Number(written));
}

/** Python's `repr` of a float: exponents from 1e16 on and below 1e-4, with at least two digits, and 1.0 keeps its point. */
function spellAsPython(written: string): string {
  if (!/[.eE]/.test(written)) return written;
  const number = Number(written);
  const [digits = "", exponent = "0"] = number.toExponential().split("e");
  const power = Number(exponent);
  if (number !== 0 && (power < -4 || power >= 16)) {
    return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  // JavaScript uses no exponent in this range either.
  return Number.isInteger(number) ? `${number}.0` : String(number);
}
