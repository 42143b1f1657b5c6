/** Where rules were applied, as publishing notes it. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import { insertUserPlaybooks } from "../../../src/playbooks/store";
import { agentRule, DisturbedDatabase, NOW_SEC, newOrg, put, db as room, rowsOf, userRule } from "./rules";
import { roomServices } from "./services";

/** Remembers what each batch was and wrote. */
class WatchedDatabase extends Database {
  statements: string[] = [];
  written = 0;
  constructor() {
    super(env.DB);
  }
  override async batch(statements: readonly Statement[]) {
    const results = await super.batch(statements);
    this.statements.push(...statements.map(({ text }) => text));
    this.written += results.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    return results;
  }
}

const cite = (kind: string, real_id: number | string, tag = "") => ({ kind, real_id, tag, title: "" });

async function say(
  orgId: string,
  body: { user_id: string; session_id?: string; request_id?: string; citations: object[][] },
  db: Database = room,
) {
  const services = { ...roomServices(), database: () => db };
  const { citations, ...rest } = body;
  return publish(
    services,
    orgId,
    publishBodySchema.parse({
      session_id: `${body.user_id}-session`,
      ...rest,
      interaction_data_list: citations.map((cited) => ({
        role: "Assistant",
        content: "I looked it up.",
        citations: cited,
      })),
    }),
  );
}

describe("publishing", () => {
  it("notes the rules that turns cite and the org has, and no others", async () => {
    const { orgId } = newOrg();
    const other = newOrg();
    await put([agentRule(orgId, 1), agentRule(orgId, 2)], ...insertUserPlaybooks([userRule(orgId, 5)]));
    await put([agentRule(other.orgId, 3)]);
    await say(orgId, {
      user_id: "ada",
      citations: [
        [
          cite("agent_playbook", 1),
          cite("agent_playbook", "1"),
          cite("user_playbook", 5),
          cite("profile", 1),
        ],
        [],
        [
          cite("playbook", "2", "ap-2"),
          cite("agent_playbook", 3),
          cite("user_playbook", 1),
          cite("agent_playbook", "x"),
        ],
      ],
    });
    const turns = (await rowsOf("interactions", orgId, "interaction_id")).map((row) => row.interaction_id);
    const noted = await rowsOf("rule_applications", orgId, "interaction_id, kind, entity_id");
    expect(noted.map(({ kind, entity_id, interaction_id }) => [kind, entity_id, interaction_id])).toEqual([
      ["agent_playbook", 1, turns[0]],
      ["user_playbook", 5, turns[0]],
      ["agent_playbook", 2, turns[2]],
    ]);
    expect(noted[0]).toMatchObject({ user_id: "ada", session_id: "ada-session", created_at: NOW_SEC });
  });

  it("counts turns by their place among those that are kept", async () => {
    const { orgId } = newOrg();
    await put([agentRule(orgId, 1)]);
    const body = publishBodySchema.parse({
      user_id: "ada",
      session_id: "s",
      interaction_data_list: [
        { content: "" },
        { content: "Hello." },
        { content: "", citations: [cite("agent_playbook", 1)] },
      ],
    });
    await publish({ ...roomServices(), database: () => room }, orgId, body);
    const turns = await rowsOf("interactions", orgId, "interaction_id");
    expect(turns).toHaveLength(2);
    expect(await rowsOf("rule_applications", orgId, "interaction_id")).toMatchObject([
      { interaction_id: turns[1]?.interaction_id },
    ]);
  });

  it("without citations of ours runs and writes nothing more than before", async () => {
    const { orgId } = newOrg();
    const db = new WatchedDatabase();
    // The first call of an org also writes its sequence and its config.
    await say(orgId, { user_id: "ada", citations: [[], []] }, db);
    db.written = 0;
    await say(orgId, { user_id: "ada", citations: [[], [cite("profile", 1), cite("playbook", 7)]] }, db);
    expect(db.statements.filter((text) => text.includes("rule_applications"))).toEqual([]);
    const plain = db.written;
    db.written = 0;
    await put([agentRule(orgId, 1)]);
    await say(
      orgId,
      { user_id: "ada", citations: [[], [cite("agent_playbook", 1), cite("agent_playbook", 99)]] },
      db,
    );
    expect(db.statements.filter((text) => text.includes("rule_applications"))).toHaveLength(1);
    // One row and its index entry.
    expect(db.written - plain).toBe(2);
  });

  it("notes once, whatever is repeated or fails before or after its effect", async () => {
    for (const disturb of [{ failBefore: true }, { failAfter: true }] as const) {
      const { orgId } = newOrg();
      await put([agentRule(orgId, 1)]);
      const body = { user_id: "ada", request_id: "once", citations: [[cite("agent_playbook", 1)]] };
      await say(orgId, body, new DisturbedDatabase(1, disturb, "INSERT INTO requests"));
      await say(orgId, body);
      expect(await rowsOf("rule_applications", orgId, "interaction_id")).toHaveLength(1);
    }
  });

  it("forgets an application with its turn", async () => {
    const { orgId } = newOrg();
    await put([agentRule(orgId, 1)]);
    await say(orgId, {
      user_id: "ada",
      citations: [[cite("agent_playbook", 1)], [cite("agent_playbook", 1)]],
    });
    await room.batch([
      {
        text: "DELETE FROM interactions WHERE org_id = ? AND interaction_id = 1",
        params: [orgId],
      },
    ]);
    expect(await rowsOf("rule_applications", orgId, "interaction_id")).toMatchObject([{ interaction_id: 2 }]);
  });
});
