/** A decision that reached a prompt can no longer be undone, whoever asked and in whatever session. */
import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { createApp } from "../../../src/http/app";
import { changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { undoable, undoDecision } from "../../../src/playbooks/undo";
import { searchRoutes } from "../../../src/search/routes";
import { recordFirstServing } from "../../../src/search/served-store";
import { principal, SELF_HOST_ORG, scopeOf } from "./client";
import { agentRule, DisturbedDatabase, put, db as room, rowsOf } from "./rules";
import { roomServices } from "./services";

const anna = principal("anna", "reviewer", SELF_HOST_ORG);
let made = 0;

/** An approved rule of a version of its own, and calls that find it by its words. */
async function approvedRule(db: Database = room) {
  made += 1;
  const id = 8_400 + made;
  const version = `serving-${made}`;
  await put([
    agentRule(SELF_HOST_ORG, id, { agentVersion: version, trigger: null, content: `Zither ${id}.` }),
  ]);
  const deferred: Promise<unknown>[] = [];
  const services = {
    ...roomServices(),
    database: () => db,
    defer: (work: Promise<unknown>) => deferred.push(work),
  };
  const app = createApp<object>(searchRoutes, () => ({ services: () => services, limits: {} }));
  const ask = async (path: string, body: object): Promise<string> => {
    const response = await app.fetch(
      new Request(`http://localhost${path}`, {
        method: "POST",
        body: JSON.stringify({ query: "zither", agent_version: version, ...body }),
      }),
      {},
      createExecutionContext(),
    );
    const text = await response.text();
    await Promise.all(deferred);
    return text;
  };
  await changeAgentPlaybook(scopeOf(anna), id, { playbookStatus: "approved" });
  const entry = async () =>
    (await rowsOf("decisions", SELF_HOST_ORG, "version"))
      .filter((row) => row.agent_playbook_id === id)
      .at(-1);
  return { id, ask, entry };
}

describe("an approval", () => {
  it.each<[string, string, object]>([
    ["the prompt's context", "/api/context", {}],
    ["a search in a session", "/api/search", { session_id: "s" }],
    ["a search without one", "/api/search", {}],
  ])("is served by %s, and then stands", async (_, path, body) => {
    const { id, ask, entry } = await approvedRule();
    expect(await ask(path, body)).toContain(`Zither ${id}`);
    expect(await entry()).toMatchObject({ served_at_ms: 1_700_000_000_000 });
    await expect(undoDecision(scopeOf(anna), id, 2)).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("served to a prompt"),
    });
  });

  it.each<[string, string, object]>([
    ["a block that it had no room in", "/api/context", { max_tokens: 1 }],
    ["a listing search", "/api/search_agent_playbooks", {}],
    ["an explained search", "/api/search/explain", {}],
    ["a search for something else", "/api/search", { query: "trombone", search_mode: "fts" }],
  ])("is not served by %s", async (_, path, body) => {
    const { id, ask, entry } = await approvedRule();
    await ask(path, body);
    expect(await entry()).toMatchObject({ served_at_ms: null });
    expect((await undoable(room, SELF_HOST_ORG, [id])).get(id)).toMatchObject({ kind: "approve" });
  });

  it("is noted once: later servings write nothing", async () => {
    const seen: string[] = [];
    class Watched extends Database {
      override batch(statements: readonly Statement[]) {
        seen.push(...statements.map(({ text }) => text));
        return super.batch(statements);
      }
    }
    const { ask } = await approvedRule(new Watched((room as unknown as { d1: D1Database }).d1));
    const notes = () => seen.filter((text) => text.startsWith("UPDATE decisions")).length;
    await ask("/api/context", {});
    expect(notes()).toBe(1);
    await ask("/api/context", {});
    await ask("/api/search", {});
    expect(notes()).toBe(1);
  });

  it("keeps the time of the first serving, whatever is noted late", async () => {
    const { id, entry } = await approvedRule();
    await room.run(recordFirstServing(SELF_HOST_ORG, [{ id, version: 2 }], 5));
    await room.run(recordFirstServing(SELF_HOST_ORG, [{ id, version: 2 }], 9));
    expect(await entry()).toMatchObject({ served_at_ms: 5 });
  });

  it("that could not be noted is answered all the same, and noted the next time", async () => {
    const db = new DisturbedDatabase(1, { failBefore: true }, "UPDATE decisions");
    const { id, ask, entry } = await approvedRule(db);
    expect(await ask("/api/context", {})).toContain(`Zither ${id}`);
    expect(await entry()).toMatchObject({ served_at_ms: null });
    await ask("/api/context", {});
    expect(await entry()).toMatchObject({ served_at_ms: 1_700_000_000_000 });
  });

  it("is another one after an undo: a late note of the first says nothing of the second", async () => {
    const { id, entry } = await approvedRule();
    await undoDecision(scopeOf(anna), id, 2);
    await changeAgentPlaybook(scopeOf(anna), id, { playbookStatus: "approved" });
    await room.run(recordFirstServing(SELF_HOST_ORG, [{ id, version: 2 }], 5));
    expect(await entry()).toMatchObject({ version: 4, served_at_ms: null });
    expect(await undoDecision(scopeOf(anna), id, 4)).toMatchObject({ row: { playbookStatus: "pending" } });
  });

  it("that was edited since is served as the edit left it, and that edit stands", async () => {
    const { id, ask } = await approvedRule();
    await changeAgentPlaybook(scopeOf(anna), id, { content: `Zither ${id}, but softly.` });
    await ask("/api/context", {});
    await expect(undoDecision(scopeOf(anna), id, 3)).rejects.toMatchObject({
      message: expect.stringContaining("served to a prompt"),
    });
  });
});
