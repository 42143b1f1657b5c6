import { describe, expect, it } from "vitest";
import type { PlaybookDocument } from "../../../../src/documents/model";
import { checkSubPlaybooks } from "../../../../src/documents/validate/sub-playbooks";
import { documentOf } from "../support/graphs";
import { findingsOf, found } from "../support/passes";

/** A playbook that runs others, each in a map of its own. */
function playbook(slug: string, ...runs: string[]): PlaybookDocument {
  const document = documentOf([
    ...runs.map((itemPlaybook, index) => ({
      id: `m${index}`,
      kind: "map" as const,
      items: "[]",
      itemPlaybook,
      next: index + 1 < runs.length ? `m${index + 1}` : "done",
    })),
    { id: "done", kind: "terminator" as const, reason: "over" },
  ]);
  document.playbook.playbookId = `plb_${slug}`;
  document.playbook.manifest = { ...document.playbook.manifest, id: `plb_${slug}`, slug };
  return document;
}
const at = (map: number) => `/playbook/steps/${map}/itemPlaybook`;
const check = (own: PlaybookDocument, ...others: PlaybookDocument[]) => found(checkSubPlaybooks, own, others);

describe("a playbook that runs others", () => {
  it("is fine three deep, by id or by slug, and if one is not known", () => {
    expect(check(playbook("a", "b"), playbook("b", "plb_c"), playbook("c", "d"), playbook("d"))).toEqual([]);
    expect(check(playbook("a", "nobody"))).toEqual([]);
    expect(found(checkSubPlaybooks, playbook("a", "b"))).toEqual([]);
  });

  it("must not run itself", () => {
    expect(check(playbook("a", "a"))).toEqual([`S467 ${at(0)}`]);
    expect(check(playbook("a", "x", "plb_a"))).toEqual([`S467 ${at(1)}`]);
    expect(found(checkSubPlaybooks, playbook("a", "a"))).toEqual([`S467 ${at(0)}`]);
  });

  it("must not run itself through others, and the way is told", () => {
    const [finding] = findingsOf(checkSubPlaybooks, playbook("a", "b"), [
      playbook("b", "c"),
      playbook("c", "x", "plb_a"),
    ]);
    expect(finding).toMatchObject({ code: "S467", path: at(0) });
    expect(finding?.message).toContain("a > b > c > a");
  });

  it("does not answer for a circle of others, other than by its depth", () => {
    expect(check(playbook("a", "b"), playbook("b", "c"), playbook("c", "b"))).toEqual([`S468 ${at(0)}`]);
  });

  it("must not be four deep, downwards", () => {
    const others = [playbook("b", "c"), playbook("c", "d"), playbook("d", "e"), playbook("e")];
    expect(check(playbook("a", "b"), ...others)).toEqual([`S468 ${at(0)}`]);
    expect(check(playbook("a", "c", "b"), ...others)).toEqual([`S468 ${at(1)}`]);
    expect(
      check(playbook("a", "b"), playbook("b", "c"), playbook("c", "d"), playbook("d", "unknown")),
    ).toEqual([`S468 ${at(0)}`]);
  });

  it("must not make those that run it four deep", () => {
    expect(
      check(
        playbook("c", "d", "x"),
        playbook("a", "b"),
        playbook("b", "c"),
        playbook("d", "e"),
        playbook("e"),
      ),
    ).toEqual([`S468 ${at(0)}`]);
  });

  it("takes the place of its own older version", () => {
    expect(check(playbook("a", "b"), playbook("a", "a"), playbook("b"))).toEqual([]);
  });

  it("counts a playbook that is reached on two ways once", () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      playbook(`p${index}`, ...Array.from({ length: 60 }, (_, other) => `p${other}`)),
    );
    expect(check(playbook("a", "p0"), ...many)).toEqual([`S468 ${at(0)}`]);
  });
});
