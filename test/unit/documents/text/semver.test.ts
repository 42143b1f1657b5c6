/** Semantic versions and ranges of them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareSemver, parseSemver, type Semver } from "../../../../src/documents/text/semver";
import { parseSemverRange, satisfies } from "../../../../src/documents/text/semver-range";

const version = (text: string): Semver => {
  const parsed = parseSemver(text);
  if (!parsed) throw new Error(`${text} is no version`);
  return parsed;
};
const inRange = (text: string, range: string): boolean => {
  const parsed = parseSemverRange(range);
  if (!parsed) throw new Error(`${range} is no range`);
  return satisfies(version(text), parsed);
};

describe("a version", () => {
  it("is read in its parts", () => {
    expect(version("1.2.3-rc.10.x+b.7")).toEqual({
      major: 1,
      minor: 2,
      patch: 3,
      prerelease: ["rc", 10, "x"],
      build: "b.7",
    });
    expect(version("0.0.0")).toMatchObject({ prerelease: [], build: "" });
  });

  it.each([
    "1.0.0-0A.is.legal",
    "1.0.0--",
    "1.0.0-a--b",
    "1.0.0+0.build.1-rc.10000aaa-kk-0.1",
    "999999999999999.0.0",
  ])("%s is one", (text) => {
    expect(parseSemver(text)).not.toBeNull();
  });

  it.each([
    "",
    "1",
    "1.2",
    "1.2.3.4",
    "v1.2.3",
    " 1.2.3",
    "1.2.3\n",
    "01.2.3",
    "1.02.3",
    "1.2.3-",
    "1.2.3-01",
    "1.2.3-a..b",
    "1.2.3+",
    "1.2.3-é",
    "1.2.x",
    "-1.2.3",
    "1.2.3-a_b",
    `1.2.3-${"a".repeat(300)}`,
    `${"9".repeat(16)}.0.0`,
  ])("%j is none", (text) => {
    expect(parseSemver(text)).toBeNull();
  });

  it("comes in the order of the standard", () => {
    const ordered = [
      "0.0.1",
      "0.9.0",
      "1.0.0-alpha",
      "1.0.0-alpha.1",
      "1.0.0-alpha.beta",
      "1.0.0-beta",
      "1.0.0-beta.2",
      "1.0.0-beta.11",
      "1.0.0-rc.1",
      "1.0.0",
      "1.0.1",
      "1.2.0",
      "1.10.0",
      "2.0.0",
    ];
    for (const [i, a] of ordered.entries()) {
      for (const [j, b] of ordered.entries())
        expect(compareSemver(version(a), version(b))).toBe(Math.sign(i - j));
    }
    expect(compareSemver(version("1.0.0+a"), version("1.0.0+b"))).toBe(0);
  });

  it("is ordered without contradiction", () => {
    const part = fc.nat(2);
    const any = fc
      .tuple(part, part, part, fc.constantFrom("", "-0", "-1", "-a", "-a.1", "-a.b", "-b"))
      .map(([a, b, c, rest]) => version(`${a}.${b}.${c}${rest}`));
    fc.assert(
      fc.property(any, any, any, (a, b, c) => {
        expect(compareSemver(a, b) + compareSemver(b, a)).toBe(0);
        if (compareSemver(a, b) <= 0 && compareSemver(b, c) <= 0)
          expect(compareSemver(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe("a range", () => {
  it.each([
    ["*", "0.0.0 1.2.3", "1.0.0-rc.1"],
    ["1.2.3", "1.2.3 1.2.3+b", "1.2.4 1.2.3-rc"],
    ["=1.2.3", "1.2.3", "1.2.4"],
    ["v1.2.3", "1.2.3", "1.2.4"],
    ["1", "1.0.0 1.99.9", "0.9.9 2.0.0 2.0.0-rc 1.0.0-rc"],
    ["1.x", "1.0.0 1.99.9", "2.0.0"],
    ["1.2", "1.2.0 1.2.9", "1.3.0 1.1.9"],
    ["1.2.*", "1.2.0 1.2.9", "1.3.0"],
    ["^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0 2.0.0-rc"],
    ["^0.2.3", "0.2.3 0.2.9", "0.3.0 0.2.2"],
    ["^0.0.3", "0.0.3", "0.0.4 0.0.2"],
    ["^1", "1.0.0 1.9.9", "2.0.0"],
    ["^0.2", "0.2.0 0.2.9", "0.3.0"],
    ["^1.2", "1.2.0 1.9.9", "2.0.0 1.1.9"],
    ["^0", "0.0.0 0.9.9", "1.0.0"],
    ["~1.2.3", "1.2.3 1.2.9", "1.3.0 1.2.2"],
    ["~1.2", "1.2.0 1.2.9", "1.3.0"],
    ["~1", "1.0.0 1.9.0", "2.0.0"],
    [">=1.2.0 <2.0.0", "1.2.0 1.9.9", "1.1.9 2.0.0"],
    [">= 1.2.0  < 2", "1.2.0 1.9.9", "2.0.0"],
    [">1.2", "1.3.0", "1.2.9"],
    [">1", "2.0.0", "1.9.9"],
    ["<=1.2", "1.2.9 0.1.0", "1.3.0"],
    ["<1.2", "1.1.9", "1.2.0 1.2.0-rc"],
    [">1.2.3", "1.2.4", "1.2.3"],
    ["<=1.2.3", "1.2.3", "1.2.4"],
    ["1.0.0 || >=3", "1.0.0 3.0.0 4.1.0", "2.0.0"],
    ["^1.2.3-rc.1", "1.2.3-rc.1 1.2.3-rc.2 1.2.3 1.3.0", "1.2.3-beta 1.3.0-rc.1"],
    [">=1.0.0-0 <2.0.0", "1.0.0-alpha 1.5.0", "1.5.0-alpha"],
  ])("%s holds %s and not %s", (range, inside, outside) => {
    for (const text of inside.split(" ")) expect([text, inRange(text, range)]).toEqual([text, true]);
    for (const text of outside.split(" ")) expect([text, inRange(text, range)]).toEqual([text, false]);
  });

  it.each([
    "",
    " ",
    "||",
    "1.0.0 ||",
    "a",
    "1.2.3.4",
    "^",
    ">",
    "1.x.3",
    "*.1",
    "1..2",
    ">=<1",
    "latest",
    "1.2.3 - 2.0.0",
    "^01.0.0x",
    "1.2.3-",
    `^${"1".repeat(300)}`,
  ])("%j is none", (text) => {
    expect(parseSemverRange(text)).toBeNull();
  });
});
