import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Database } from "../../../src/db/client";
import { addAgentPlaybooks, addUserPlaybooks } from "../../../src/playbooks/add";
import { changeAgentPlaybook, removeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { changeUserPlaybook } from "../../../src/playbooks/change-user";
import { addedAgentPlaybook, addedUserPlaybook } from "../../../src/playbooks/schemas";
import { count, principal, rowOf, scopeOf } from "./client";

const anna = principal("anna", "reviewer");
const boris = principal("boris", "reviewer");

/** A database whose `nth` batch does `first` before it, or loses its answer after it. */
class DisturbedDatabase extends Database {
  private batches = 0;
  constructor(
    private readonly nth: number,
    private readonly disturb: { before?: () => Promise<unknown>; failAfter?: boolean; failBefore?: boolean },
  ) {
    super(env.DB);
  }
  override async batch(statements: Parameters<Database["batch"]>[0]) {
    this.batches += 1;
    if (this.batches !== this.nth) return super.batch(statements);
    await this.disturb.before?.();
    if (this.disturb.failBefore === true) throw new Error("connection lost before");
    const results = await super.batch(statements);
    if (this.disturb.failAfter === true) throw new Error("connection lost after");
    return results;
  }
}

async function addRule(version: string): Promise<number> {
  await addAgentPlaybooks(scopeOf(anna), [
    addedAgentPlaybook.parse({ agent_version: version, content: "Be brief." }),
  ]);
  return Number((await rowOf("agent_playbooks", "agent_version = ?", version))?.agent_playbook_id);
}

describe("two reviewers at once", () => {
  it("tells the slower one who decided and keeps the faster one's decision", async () => {
    const id = await addRule("r-race");
    const db = new DisturbedDatabase(2, {
      before: () => changeAgentPlaybook(scopeOf(anna), id, { playbookStatus: "approved" }),
    });
    const slower = changeAgentPlaybook(scopeOf(boris, { db }), id, { playbookStatus: "rejected" });
    await expect(slower).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("approved, at version 2, decided by anna"),
    });
    expect(await rowOf("agent_playbooks", "agent_playbook_id = ?", id)).toMatchObject({
      decided_by: "anna",
      version: 2,
    });
    expect(await count("audit", "entity_id = ? AND principal_id = 'boris'", String(id))).toBe(0);
  });

  it("keeps a rule that was edited between reading and approving pending", async () => {
    const id = await addRule("r-edit");
    const db = new DisturbedDatabase(2, {
      before: () =>
        changeAgentPlaybook(scopeOf(principal("eddy", "editor")), id, { content: "Wire the money." }),
    });
    await expect(
      changeAgentPlaybook(scopeOf(anna, { db }), id, { playbookStatus: "approved" }),
    ).rejects.toMatchObject({
      kind: "conflict",
    });
    expect(await rowOf("agent_playbooks", "agent_playbook_id = ?", id)).toMatchObject({
      playbook_status: "pending",
    });
  });

  it("does not delete what was approved meanwhile", async () => {
    const id = await addRule("r-delete");
    const db = new DisturbedDatabase(2, {
      before: () => changeAgentPlaybook(scopeOf(anna), id, { playbookStatus: "approved" }),
    });
    await expect(removeAgentPlaybook(scopeOf(principal("eddy", "editor"), { db }), id)).rejects.toMatchObject(
      {
        kind: "conflict",
      },
    );
    expect(await count("agent_playbooks", "agent_playbook_id = ?", id)).toBe(1);
  });
});

describe("a call whose answer is lost", () => {
  it("recognises its own decision as done", async () => {
    const id = await addRule("r-lost");
    const db = new DisturbedDatabase(2, { failAfter: true });
    const row = await changeAgentPlaybook(scopeOf(anna, { db }), id, { playbookStatus: "approved" });
    expect(row).toMatchObject({ playbookStatus: "approved", version: 2 });
    expect(await count("lineage", "entity_id = ? AND op = 'status_change'", String(id))).toBe(1);
  });

  it("fails, having changed nothing, when the batch never arrived", async () => {
    const id = await addRule("r-never");
    const db = new DisturbedDatabase(2, { failBefore: true });
    await expect(
      changeAgentPlaybook(scopeOf(anna, { db }), id, { playbookStatus: "approved" }),
    ).rejects.toThrow("before");
    expect(await rowOf("agent_playbooks", "agent_playbook_id = ?", id)).toMatchObject({ version: 1 });
  });

  it.each([1, 2, 3, 4, 5])(
    "adds a rule once when database call %i fails before or after its effect",
    async (nth) => {
      for (const disturb of [{ failBefore: true }, { failAfter: true }]) {
        const userId = `r-add-${nth}-${JSON.stringify(disturb)}`;
        const asked = [
          addedUserPlaybook.parse({
            user_id: userId,
            agent_version: "r",
            request_id: "r",
            content: "Once only.",
          }),
        ];
        const db = new DisturbedDatabase(nth, disturb);
        await addUserPlaybooks(scopeOf(anna, { db }), asked).catch(() => undefined);
        await addUserPlaybooks(scopeOf(anna), asked);
        expect(await count("user_playbooks", "user_id = ?", userId)).toBe(1);
      }
    },
  );

  it("adds an agent playbook once, also when it was approved before the call came again", async () => {
    const asked = [addedAgentPlaybook.parse({ agent_version: "r-again", content: "Be kind." })];
    await addAgentPlaybooks(scopeOf(anna), asked);
    const id = Number((await rowOf("agent_playbooks", "agent_version = 'r-again'"))?.agent_playbook_id);
    await changeAgentPlaybook(scopeOf(anna), id, { playbookStatus: "approved" });
    expect(await addAgentPlaybooks(scopeOf(anna), asked)).toBe(1);
    expect(await count("agent_playbooks", "agent_version = 'r-again'")).toBe(1);
  });

  it("edits a user playbook once", async () => {
    const asked = addedUserPlaybook.parse({
      user_id: "r-u",
      agent_version: "r",
      request_id: "r",
      content: "Old.",
    });
    await addUserPlaybooks(scopeOf(anna), [asked]);
    const id = Number((await rowOf("user_playbooks", "user_id = 'r-u'"))?.user_playbook_id);
    const db = new DisturbedDatabase(2, { failAfter: true });
    expect(await changeUserPlaybook(scopeOf(anna, { db }), id, { content: "New." })).not.toBeNull();
    expect(
      await count("lineage", "entity_id = ? AND op = 'revise' AND entity_type = 'user_playbook'", String(id)),
    ).toBe(1);
  });
});
