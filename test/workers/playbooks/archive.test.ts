/** Taking user playbooks out of use by hand, and back, beside others who do the same. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Database } from "../../../src/db/client";
import { addUserPlaybooks } from "../../../src/playbooks/add";
import { archiveUserPlaybook } from "../../../src/playbooks/archive-user";
import { changeUserPlaybook, removeUserPlaybook } from "../../../src/playbooks/change-user";
import { addedUserPlaybook } from "../../../src/playbooks/schemas";
import { count, principal, rowOf, SELF_HOST_ORG, scopeOf } from "./client";

const eddy = principal("eddy", "editor");
const rita = principal("rita", "reviewer");

/** A database whose batch that writes does `before` first, or loses its answer afterwards. */
class DisturbedDatabase extends Database {
  private isDone = false;
  constructor(private readonly disturb: { before?: () => Promise<unknown>; lose?: boolean }) {
    super(env.DB);
  }
  override async batch(statements: Parameters<Database["batch"]>[0]) {
    const writes = statements.some(({ text }) => text.startsWith("UPDATE user_playbooks"));
    if (!writes || this.isDone) return super.batch(statements);
    this.isDone = true;
    await this.disturb.before?.();
    const results = await super.batch(statements);
    if (this.disturb.lose === true) throw new Error("connection lost after");
    return results;
  }
}

let made = 0;

async function addRule(): Promise<number> {
  made += 1;
  await addUserPlaybooks(scopeOf(eddy), [
    addedUserPlaybook.parse({
      user_id: "ann",
      agent_version: `archive-${made}`,
      request_id: "r",
      content: "Be brief.",
    }),
  ]);
  return Number((await rowOf("user_playbooks", "agent_version = ?", `archive-${made}`))?.user_playbook_id);
}

const stored = (id: number) =>
  rowOf("user_playbooks", "org_id = ? AND user_playbook_id = ?", SELF_HOST_ORG, id);

const events = (id: number) =>
  count(
    "lineage",
    "org_id = ? AND entity_type = 'user_playbook' AND entity_id = ? AND op = 'status_change'",
    SELF_HOST_ORG,
    String(id),
  );

const taint = (id: number) =>
  env.DB.prepare(
    `UPDATE user_playbooks SET flags = '["tainted"]', updated_at_ms = updated_at_ms + 1
     WHERE org_id = ? AND user_playbook_id = ?`,
  )
    .bind(SELF_HOST_ORG, id)
    .run();

describe("archiving a user playbook", () => {
  it("takes it out of use and back, with lineage, audit, and work for index and aggregation", async () => {
    const id = await addRule();
    const jobs = () => count("outbox", "org_id = ? AND key LIKE ?", SELF_HOST_ORG, `%archive-${made}%`);
    const before = await jobs();
    const scope = scopeOf(eddy);
    expect(await archiveUserPlaybook(scope, id, "archive")).toMatchObject({ status: "archived" });
    expect(await stored(id)).toMatchObject({ status: "archived" });
    expect(await jobs()).toBeGreaterThan(before);
    expect(await count("outbox", "topic = 'vector' AND key = ?", `["user_playbook",${id}]`)).toBeGreaterThan(
      0,
    );
    expect(await count("audit", "action = 'archive.user_playbook' AND entity_id = ?", String(id))).toBe(1);
    expect(await archiveUserPlaybook(scopeOf(eddy), id, "restore")).toMatchObject({ status: null });
    expect(await stored(id)).toMatchObject({ status: null });
    expect(await events(id)).toBe(2);
  });

  it("changes nothing when it is archived already", async () => {
    const id = await addRule();
    const first = await archiveUserPlaybook(scopeOf(eddy), id, "archive");
    const second = await archiveUserPlaybook(scopeOf(rita), id, "archive");
    expect(second.updatedAtMs).toBe(first.updatedAtMs);
    expect(await events(id)).toBe(1);
  });

  it("is refused for a version that the reader has not seen, and for rules that are gone or replaced", async () => {
    const id = await addRule();
    const old = Number((await stored(id))?.updated_at_ms);
    await changeUserPlaybook(scopeOf(rita), id, { content: "Be very brief." });
    const stale = scopeOf(eddy, { headers: { "if-match": `"${old}"` } });
    await expect(archiveUserPlaybook(stale, id, "archive")).rejects.toMatchObject({
      kind: "precondition_failed",
    });
    await env.DB.prepare("UPDATE user_playbooks SET status = 'merged' WHERE user_playbook_id = ?")
      .bind(id)
      .run();
    await expect(archiveUserPlaybook(scopeOf(eddy), id, "archive")).rejects.toMatchObject({
      kind: "not_found",
    });
    await expect(archiveUserPlaybook(scopeOf(eddy), 987_654, "restore")).rejects.toMatchObject({
      kind: "not_found",
    });
  });

  it("leaves what waits in review to the reviewers", async () => {
    const id = await addRule();
    await env.DB.prepare("UPDATE user_playbooks SET status = 'pending' WHERE user_playbook_id = ?")
      .bind(id)
      .run();
    for (const change of ["archive", "restore"] as const) {
      const done = archiveUserPlaybook(scopeOf(eddy), id, change);
      if (change === "archive") await expect(done).rejects.toMatchObject({ kind: "conflict" });
      else await expect(done).rejects.toMatchObject({ kind: "conflict" });
    }
    expect(await stored(id)).toMatchObject({ status: "pending" });
  });

  it("lets only a reviewer take back into use what rests on something revoked", async () => {
    const id = await addRule();
    await archiveUserPlaybook(scopeOf(eddy), id, "archive");
    await taint(id);
    await expect(archiveUserPlaybook(scopeOf(eddy), id, "restore")).rejects.toMatchObject({
      kind: "forbidden",
    });
    await archiveUserPlaybook(scopeOf(rita), id, "restore");
    expect(await stored(id)).toMatchObject({ status: null, flags: "[]" });
  });

  it("loses to a faster edit and says so", async () => {
    const id = await addRule();
    const db = new DisturbedDatabase({
      before: () => changeUserPlaybook(scopeOf(rita), id, { content: "Be kind." }),
    });
    await expect(archiveUserPlaybook(scopeOf(eddy, { db }), id, "archive")).rejects.toMatchObject({
      kind: "conflict",
    });
    expect(await stored(id)).toMatchObject({ status: null, content: "Be kind." });
    expect(await events(id)).toBe(0);
  });

  it("does not restore over a taint that came between reading and writing", async () => {
    const id = await addRule();
    await archiveUserPlaybook(scopeOf(eddy), id, "archive");
    const db = new DisturbedDatabase({ before: () => taint(id) });
    await expect(archiveUserPlaybook(scopeOf(eddy, { db }), id, "restore")).rejects.toMatchObject({
      kind: "conflict",
    });
    expect(await stored(id)).toMatchObject({ status: "archived", flags: '["tainted"]' });
  });

  it("says that the rule is gone when it was deleted meanwhile", async () => {
    const id = await addRule();
    const db = new DisturbedDatabase({ before: () => removeUserPlaybook(scopeOf(rita), id) });
    await expect(archiveUserPlaybook(scopeOf(eddy, { db }), id, "archive")).rejects.toMatchObject({
      kind: "not_found",
    });
  });

  it("knows its own success when the answer is lost", async () => {
    const id = await addRule();
    const db = new DisturbedDatabase({ lose: true });
    expect(await archiveUserPlaybook(scopeOf(eddy, { db }), id, "archive")).toMatchObject({
      status: "archived",
    });
    expect(await events(id)).toBe(1);
  });
});
