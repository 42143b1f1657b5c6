/**
 * Ranges of semantic versions, as package managers write them: `^1.2.0`, `~1.2`, `>=1.0.0 <2.0.0`, `1.x`, `1.2.3`,
 * `*`, alternatives with `||`. A pre-release is in a range only if the range names a pre-release of that very release.
 */
import { compareSemver, parseSemver, type Semver } from "./semver";

/** `version` compared with `bound` by `operator`. */
interface Comparator {
  operator: "<" | "<=" | ">" | ">=" | "=";
  bound: Semver;
}
/** Any of the alternatives; within one, all comparators. */
export type SemverRange = readonly (readonly Comparator[])[];

const PARTIAL =
  /^(<=|>=|<|>|=|\^|~)?v?(\d{1,15}|[xX*])(?:\.(\d{1,15}|[xX*])(?:\.(\d{1,15}|[xX*])(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)?)?$/;
const MAX_LENGTH = 256;

const release = (major: number, minor = 0, patch = 0): Semver => ({
  major,
  minor,
  patch,
  prerelease: [],
  build: "",
});
/** Just before a release and all its pre-releases: an exclusive upper bound. */
const before = (major: number, minor = 0, patch = 0): Comparator => ({
  operator: "<",
  bound: { ...release(major, minor, patch), prerelease: [0] },
});
const from = (bound: Semver): Comparator => ({ operator: ">=", bound });

/** Reads a range; null when the text is none. */
export function parseSemverRange(text: string): SemverRange | null {
  if (text.length > MAX_LENGTH || text.trim() === "") return null;
  const alternatives: Comparator[][] = [];
  for (const alternative of text.split("||")) {
    const comparators: Comparator[] = [];
    const terms = alternative.trim().replace(/(<=|>=|<|>|=|\^|~)\s+/g, "$1");
    if (terms === "") return null;
    for (const term of terms.split(/\s+/)) {
      const read = readTerm(term);
      if (!read) return null;
      comparators.push(...read);
    }
    alternatives.push(comparators);
  }
  return alternatives;
}

const known = (part: string | undefined): number | null =>
  part === undefined || /^[xX*]$/.test(part) ? null : Number(part);

function readTerm(term: string): Comparator[] | null {
  const match = PARTIAL.exec(term);
  if (!match) return null;
  const [, operator = "", ...parts] = match;
  const [major, minor, patch] = [known(parts[0]), known(parts[1]), known(parts[2])];
  // After an open part nothing may be fixed: `1.x.3` says nothing.
  if ((major === null && minor !== null) || (minor === null && patch !== null)) return null;
  if (major === null) return operator === "<" || operator === ">" ? null : [];
  if (minor === null) return openTerm(operator, release(major), before(major + 1));
  if (patch === null) {
    const upper = operator === "^" && major > 0 ? before(major + 1) : before(major, minor + 1);
    return openTerm(operator, release(major, minor), upper);
  }
  const bound = parseSemver(`${major}.${minor}.${patch}${parts[3] ?? ""}`);
  if (!bound) return null;
  if (operator === "^") return [from(bound), caretEnd(bound)];
  if (operator === "~") return [from(bound), before(major, minor + 1)];
  if (operator === "<" || operator === "<=" || operator === ">" || operator === ">=") {
    return [{ operator, bound }];
  }
  return [{ operator: "=", bound }];
}

/** `1`, `1.2` and their `x` forms stand for every version that begins so. */
function openTerm(operator: string, first: Semver, end: Comparator): Comparator[] {
  if (operator === "<") return [{ operator: "<", bound: { ...first, prerelease: [0] } }];
  if (operator === ">=") return [from(first)];
  if (operator === ">") return [{ operator: ">=", bound: { ...end.bound, prerelease: [] } }];
  return operator === "<=" ? [end] : [from(first), end];
}

/** `^` lets everything change right of the first part that is not zero. */
function caretEnd({ major, minor, patch }: Semver): Comparator {
  if (major > 0) return before(major + 1);
  return minor > 0 ? before(0, minor + 1) : before(0, 0, patch + 1);
}

/** Whether a version lies in a range. */
export const satisfies = (version: Semver, range: SemverRange): boolean =>
  range.some(
    (comparators) =>
      comparators.every((comparator) => holds(version, comparator)) && mayBePrerelease(version, comparators),
  );

function holds(version: Semver, { operator, bound }: Comparator): boolean {
  const order = compareSemver(version, bound);
  if (operator === "=") return order === 0;
  if (operator === "<" || operator === "<=") return order < 0 || (order === 0 && operator === "<=");
  return order > 0 || (order === 0 && operator === ">=");
}

const mayBePrerelease = (version: Semver, comparators: readonly Comparator[]): boolean =>
  version.prerelease.length === 0 ||
  comparators.some(
    ({ operator, bound }) =>
      // The bound of `before` is no pre-release that somebody named.
      !(operator === "<" && bound.prerelease.length === 1 && bound.prerelease[0] === 0) &&
      bound.prerelease.length > 0 &&
      bound.major === version.major &&
      bound.minor === version.minor &&
      bound.patch === version.patch,
  );
