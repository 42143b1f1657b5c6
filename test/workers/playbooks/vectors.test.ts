import { describe, expect, it } from "vitest";
import type { Work } from "../../../src/db/outbox";
import { EmbedderError } from "../../../src/platform/embedder/port";
import { addAgentPlaybooks, addUserPlaybooks } from "../../../src/playbooks/add";
import { changeAgentPlaybook, removeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { changeUserPlaybook } from "../../../src/playbooks/change-user";
import { addedAgentPlaybook, addedUserPlaybook } from "../../../src/playbooks/schemas";
import { needsReembedding, reembedPage, syncVector } from "../../../src/playbooks/vectors";
import { count, principal, rowOf, scopeOf } from "./client";
import { memoryIndex, type RoomServices, roomServices, wordEmbedder } from "./services";

const owner = (orgId: string) => principal("olga", "owner", orgId);
const work = (orgId: string, kind: string, entityId: number, attempts = 0): Work => ({
  id: "job_test",
  orgId,
  topic: "vector",
  key: [kind, entityId],
  attempts,
});

async function addUser(services: RoomServices, orgId: string, content: string): Promise<number> {
  const asked = addedUserPlaybook.parse({ user_id: "u", agent_version: "v", request_id: "r", content });
  await addUserPlaybooks(scopeOf(owner(orgId), { services }), [asked]);
  return Number(
    (await rowOf("user_playbooks", "org_id = ? AND content = ?", orgId, content))?.user_playbook_id,
  );
}

async function addAgent(services: RoomServices, orgId: string): Promise<number> {
  const asked = addedAgentPlaybook.parse({ agent_version: "v", content: "Check the ledger." });
  await addAgentPlaybooks(scopeOf(owner(orgId), { services }), [asked]);
  return Number((await rowOf("agent_playbooks", "org_id = ?", orgId))?.agent_playbook_id);
}

describe("copying rules to the index", () => {
  it("sends one work message per rule, and the copy says what D1 says, however often it runs", async () => {
    const services = roomServices();
    const id = await addUser(services, "org-copy", "Check the ledger twice.");
    expect(services.sent).toHaveLength(2);
    for (const _ of [1, 2, 3]) {
      expect(await syncVector(services, work("org-copy", "user_playbook", id))).toBe("done");
    }
    const entries = [...services.vectors.entries.values()];
    expect(entries).toMatchObject([
      { orgId: "org-copy", kind: "user_playbook", entityId: id, agentVersion: "v", userId: "u" },
    ]);
    expect(Math.hypot(...(entries[0]?.values ?? []))).toBeCloseTo(1, 5);
  });

  it("takes rejected, deleted and retired rules out and puts a reopened one back", async () => {
    const services = roomServices();
    const id = await addAgent(services, "org-state");
    const scope = scopeOf(owner("org-state"), { services });
    const sizeAfter = async (change: Promise<unknown>) => {
      await change;
      await syncVector(services, work("org-state", "agent_playbook", id));
      return services.vectors.entries.size;
    };
    expect(await sizeAfter(Promise.resolve())).toBe(1);
    expect(await sizeAfter(changeAgentPlaybook(scope, id, { playbookStatus: "rejected" }))).toBe(0);
    expect(await sizeAfter(changeAgentPlaybook(scope, id, { playbookStatus: "pending" }))).toBe(1);
    expect(await sizeAfter(changeAgentPlaybook(scope, id, { playbookStatus: "approved" }))).toBe(1);
    expect(await sizeAfter(removeAgentPlaybook(scope, id))).toBe(0);
  });

  it("repeats itself when the rule changes while it is being copied", async () => {
    const services = roomServices();
    const id = await addUser(services, "org-moving", "Water the plants on Monday.");
    const upsert = services.vectors.upsert;
    let rounds = 0;
    services.vectors.upsert = async (entries) => {
      rounds += 1;
      if (rounds === 1) {
        await changeUserPlaybook(scopeOf(owner("org-moving"), { services }), id, {
          content: "Feed the cat daily.",
        });
      }
      await upsert(entries);
    };
    expect(await syncVector(services, work("org-moving", "user_playbook", id))).toBe("done");
    expect(rounds).toBe(2);
    const [expected] = await services.embedder.embed(["Feed the cat daily."], "document");
    const values = [...services.vectors.entries.values()][0]?.values;
    const cosine = values?.reduce((sum, value, at) => sum + value * (expected?.[at] ?? 0), 0);
    expect(cosine).toBeGreaterThan(0.99);
  });

  it("stores rules while the model is away and embeds them when it is back", async () => {
    const model = wordEmbedder("words-a");
    let isAway = true;
    const services = roomServices({
      embedder: {
        model: model.model,
        async embed(texts, purpose) {
          if (isAway) throw new EmbedderError("not_ready", "loading");
          return model.embed(texts, purpose);
        },
      },
    });
    const id = await addUser(services, "org-away", "Close the window at night.");
    expect(await count("vectors", "org_id = 'org-away'")).toBe(0);
    await expect(syncVector(services, work("org-away", "user_playbook", id))).rejects.toThrow("loading");
    isAway = false;
    expect(await syncVector(services, work("org-away", "user_playbook", id))).toBe("done");
    expect(services.vectors.entries.size).toBe(1);
    // An edit during the next absence leaves no vector of the old text behind.
    isAway = true;
    await changeUserPlaybook(scopeOf(owner("org-away"), { services }), id, {
      content: "Open it in the morning.",
    });
    expect(await count("vectors", "org_id = 'org-away'")).toBe(0);
  });

  it("gives a rule up that the model keeps refusing, with a reason to be seen and replayed", async () => {
    const services = roomServices();
    const id = await addUser(services, "org-refused", "Refused rule.");
    await services
      .database("org-refused")
      .run({ text: "DELETE FROM vectors WHERE org_id = 'org-refused'", params: [] });
    const refusing = roomServices({
      embedder: {
        model: services.embedder.model,
        embed: async () => {
          throw new EmbedderError("refused", "no credit");
        },
      },
    });
    await expect(syncVector(refusing, work("org-refused", "user_playbook", id, 1))).rejects.toThrow(
      "no credit",
    );
    expect(await syncVector(refusing, work("org-refused", "user_playbook", id, 9))).toBe("done");
    expect(await count("dead_letters", "org_id = 'org-refused' AND reason = 'embedding_refused'")).toBe(1);
  });
});

describe("a change of the bound model", () => {
  it("moves an org page by page, never mixes, and forgets the old model", async () => {
    const before = roomServices();
    const asked = Array.from({ length: 130 }, (_, at) =>
      addedUserPlaybook.parse({
        user_id: "u",
        agent_version: "v",
        request_id: "r",
        content: `Rule of number ${at}.`,
      }),
    );
    await addUserPlaybooks(scopeOf(owner("org-model"), { services: before }), asked);
    const agentId = await addAgent(before, "org-model");
    await addUser(before, "org-bystander", "Stay as you are.");
    for (const id of [1, 2, 3, 4, 5]) await syncVector(before, work("org-model", "user_playbook", id));
    await syncVector(before, work("org-model", "agent_playbook", agentId));

    const after: RoomServices = {
      ...roomServices({ embedder: wordEmbedder("words-b", 32) }),
      vectors: memoryIndex(),
    };
    for (const [id, entry] of before.vectors.entries) after.vectors.entries.set(id, entry);
    expect(await needsReembedding(after, "org-model")).toBe(true);
    let pages = 0;
    for (let more = true; more; pages += 1) ({ more } = await reembedPage(after, "org-model"));
    expect(pages).toBe(2);
    expect(await needsReembedding(after, "org-model")).toBe(false);
    expect(await count("vectors", "org_id = 'org-model' AND model = 'words-a'")).toBe(0);
    expect(await count("vectors", "org_id = 'org-model' AND model = 'words-b' AND dimension = 32")).toBe(131);
    expect(after.vectors.entries.size).toBe(131);
    expect([...after.vectors.entries.values()].every((entry) => entry.values.length === 32)).toBe(true);
    expect(await count("vectors", "org_id = 'org-bystander' AND model = 'words-a'")).toBe(1);
    expect(await reembedPage(after, "org-model")).toEqual({ moved: 0, more: false });
  });
});
