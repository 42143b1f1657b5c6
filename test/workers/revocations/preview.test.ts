/** A revocation touches what its preview listed, or nothing; repeated, it is the same one. */
import { describe, expect, it } from "vitest";
import { changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { changeUserPlaybook } from "../../../src/playbooks/change-user";
import { listRevocations } from "../../../src/revocations/lift";
import { previewRevocation } from "../../../src/revocations/preview";
import { revoke } from "../../../src/revocations/revoke";
import { reviewUserPlaybook } from "../../../src/revocations/user-review";
import { type Room, revokeNow, seedUsers, turnsOf, twoRules, usersOf, wholeUser } from "./support";

describe("a rule that a person kept", () => {
  it("can be sent back again by a new revocation of the same target, which lists it first", async () => {
    const room = await twoRules();
    const first = await revokeNow(room.scope, wholeUser(), "first");
    await reviewUserPlaybook(room.scope, 1, "keep");
    expect(await previewRevocation(room.scope, wholeUser())).toMatchObject({
      user_playbooks: [{ user_playbook_id: 1, status: null }],
      totals: { user_playbooks: 1, agent_playbooks: 0 },
    });
    const again = await revokeNow(room.scope, wholeUser(), "again");
    expect(again.revocationId).not.toBe(first.revocationId);
    expect(again.touched).toMatchObject({ user_playbooks: 1, agent_playbooks: 0 });
    expect((await usersOf(room.orgId)).map(({ status }) => status)).toEqual(["pending", "pending"]);
  });

  it("is not sent back by the first call when that is repeated", async () => {
    const room = await twoRules();
    const { token } = await previewRevocation(room.scope, wholeUser());
    const first = await revoke(room.scope, wholeUser(), "poisoned", token);
    await reviewUserPlaybook(room.scope, 1, "keep");
    expect(await revoke(room.scope, wholeUser(), "poisoned", token)).toEqual(first);
    expect((await usersOf(room.orgId))[0]).toMatchObject({ status: null, flags: [] });
  });
});

describe("a token", () => {
  it.each([
    ["a rule came to it", (room: Room) => seedUsers(room.orgId, { userPlaybookId: 9 })],
    ["a rule was edited", (room: Room) => changeUserPlaybook(room.scope, 1, { content: "Say more." })],
    [
      "a rule was decided",
      (room: Room) => changeAgentPlaybook(room.scope, 1, { playbookStatus: "rejected" }),
    ],
    ["it is made up", async () => undefined],
  ])("is stale once %s, and nothing is revoked then", async (why, happening) => {
    const room = await twoRules();
    const { token } = await previewRevocation(room.scope, wholeUser());
    await happening(room);
    const now = await previewRevocation(room.scope, wholeUser());
    const given = why === "it is made up" ? "list_x" : token;
    await expect(revoke(room.scope, wholeUser(), "poisoned", given)).rejects.toMatchObject({
      kind: "conflict",
      totals: now.totals,
      token: now.token,
    });
    expect(await listRevocations(room.scope)).toEqual([]);
  });

  it("of another target does not open this one", async () => {
    const room = await twoRules();
    const { token } = await previewRevocation(room.scope, turnsOf([1]));
    await expect(revoke(room.scope, wholeUser(), "poisoned", token)).rejects.toMatchObject({
      kind: "conflict",
    });
  });

  it("is the same however often the list is read", async () => {
    const room = await twoRules();
    const tokens = await Promise.all([1, 2].map(() => previewRevocation(room.scope, wholeUser())));
    expect(tokens[0]).toEqual(tokens[1]);
  });
});
