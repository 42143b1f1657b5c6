/** Semantic versions (semver.org 2.0.0): of playbooks, and of the ranges that a dependency trigger may name. */

export interface Semver {
  major: number;
  minor: number;
  patch: number;
  /** Dot-separated identifiers after `-`; numeric ones as numbers. */
  prerelease: readonly (string | number)[];
  /** After `+`; counts for nothing in comparisons. */
  build: string;
}

const NUMBER = "(?:0|[1-9]\\d{0,14})";
const IDENTIFIER = `(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const VERSION = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?(?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?$`,
);
const MAX_LENGTH = 256;

/** Reads a version; null when the text is none. Numbers have at most 15 digits, the text at most 256 characters. */
export function parseSemver(text: string): Semver | null {
  const match = text.length > MAX_LENGTH ? null : VERSION.exec(text);
  if (!match) return null;
  return {
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: Number(match[3]),
    prerelease: match[4]?.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part)) ?? [],
    build: match[5] ?? "",
  };
}

const sign = (difference: number): -1 | 0 | 1 => (difference < 0 ? -1 : difference > 0 ? 1 : 0);

/** -1, 0 or 1 by precedence (section 11 of the standard). */
export function compareSemver(a: Semver, b: Semver): -1 | 0 | 1 {
  const release = sign(a.major - b.major) || sign(a.minor - b.minor) || sign(a.patch - b.patch);
  if (release !== 0) return release;
  // A version before its release comes before it.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return sign(b.prerelease.length - a.prerelease.length);
  }
  for (const [index, left] of a.prerelease.entries()) {
    const right = b.prerelease[index];
    if (right === undefined) return 1;
    const order = compareIdentifiers(left, right);
    if (order !== 0) return order;
  }
  return sign(a.prerelease.length - b.prerelease.length);
}

/** Numbers by value and before words; words by ASCII. */
function compareIdentifiers(a: string | number, b: string | number): -1 | 0 | 1 {
  if (typeof a === "number" && typeof b === "number") return sign(a - b);
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
