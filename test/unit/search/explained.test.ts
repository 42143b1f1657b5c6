/** Two searches joined to one list of explained rules. */
import { describe, expect, it } from "vitest";
import { type BlockSeenBy, explained, type SeenBy } from "../../../src/search/explained";
import type { Seen } from "../../../src/search/look-further";
import type { Why } from "../../../src/search/why";

const PLACE = { wordRank: null, wordScore: null, meaningRank: null, cosine: null, fusedScore: null };

function seen(id: number, rest: Partial<Seen> = {}): Seen {
  const row = {
    id,
    trigger: null,
    content: `rule ${id}`,
    agent_version: "v1",
    user_id: "ann",
    flags: '["link"]',
  };
  const fusedRank = rest.fusedRank ?? null;
  return { row, ...PLACE, fusedRank, lostAs: null, hiddenAs: null, standing: fusedRank, ...rest };
}

const search = (all: readonly Seen[], whys: [string, Why][] = []): SeenBy => ({
  seen: all,
  whys: new Map(whys),
});
const block = (all: readonly Seen[], rest: Partial<BlockSeenBy> = {}): BlockSeenBy => ({
  ...{ seen: all, whys: new Map(), cited: new Set<string>(), otherwise: { code: "not_found" } },
  ...rest,
});
const reader = { mayNameUsers: false };

describe("explained rules", () => {
  it("are the returned ones in their order, those of the block, then the others by how well they stand", () => {
    const found = explained(
      "user_playbook",
      search([
        seen(9, { fusedRank: 1 }),
        seen(8, { fusedRank: 2 }),
        seen(7, { fusedRank: 3, lostAs: "beyond_top_k" }),
        seen(6, { cosine: 0.1, lostAs: "below_threshold" }),
        seen(5, { cosine: 0.2, lostAs: "below_threshold" }),
        seen(4, { hiddenAs: "served_to_session", standing: 1 }),
      ]),
      block([seen(3, { fusedRank: 20 }), seen(8, { fusedRank: 1 })], { cited: new Set(["up-3", "up-8"]) }),
      reader,
    );
    expect(found.map(({ id }) => id)).toEqual([9, 8, 3, 4, 7, 5, 6]);
    expect(found.map(({ returned }) => returned)).toEqual([true, true, false, false, false, false, false]);
    expect(found.map(({ why }) => why?.code)).toEqual([
      ...[undefined, undefined, "not_found", "served_to_session", "beyond_top_k"],
      ...["below_threshold", "below_threshold"],
    ]);
    expect(found.map((rule) => rule.block?.tag)).toEqual([null, "up-8", "up-3", null, null, null, null]);
  });

  it("keep the reasons of the two searches apart", () => {
    const why: Why = { code: "unsafe_flag", flags: ["secret"] };
    const [rule] = explained(
      "user_playbook",
      search([seen(1, { fusedRank: 1 })]),
      block([seen(1, { fusedRank: 4 })], { whys: new Map([["up-1", why]]) }),
      reader,
    );
    expect(rule).toMatchObject({ returned: true, why: null, block: { fusedRank: 4, tag: null, why } });
  });

  it("say of a rule that the block's search did not look at what they are told to", () => {
    const seenOnce = search([seen(1, { fusedRank: 1 })]);
    const [rule] = explained(
      "user_playbook",
      seenOnce,
      block([], { otherwise: { code: "no_user" } }),
      reader,
    );
    expect(rule?.block).toMatchObject({ tag: null, why: { code: "no_user" } });
    expect(explained("user_playbook", seenOnce, null, reader)[0]?.block).toBeNull();
  });

  it("are not blamed on a filter where they are too far off anyway", () => {
    const hidden = seen(1, { cosine: 0.1, lostAs: "below_threshold", hiddenAs: "not_approved" });
    const beyond = seen(2, { cosine: 0.9, lostAs: "beyond_top_k", hiddenAs: "not_approved" });
    const found = explained("agent_playbook", search([hidden, beyond]), null, reader);
    expect(found.map(({ id, why }) => [id, why?.code])).toEqual([
      [2, "not_approved"],
      [1, "below_threshold"],
    ]);
  });

  it("do not take a reason from the rule of the other kind with the same id", () => {
    const whys: [string, Why][] = [["up-1", { code: "no_room" }]];
    const [rule] = explained("agent_playbook", search([seen(1, { fusedRank: 1 })], whys), null, reader);
    expect(rule).toMatchObject({ returned: true, why: null });
  });

  it("name a user to those who may know only", () => {
    const all = search([seen(1, { fusedRank: 1 })]);
    expect(explained("user_playbook", all, null, reader)[0]?.userId).toBeNull();
    expect(explained("user_playbook", all, null, { mayNameUsers: true })[0]?.userId).toBe("ann");
  });
});
