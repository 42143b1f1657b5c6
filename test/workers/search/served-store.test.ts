/** What sessions were served, as it is stored: once a rule, bounded, and forgotten. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Database } from "../../../src/db/client";
import { rememberServed } from "../../../src/search/served";
import { pruneServed, recordServed, servedIds } from "../../../src/search/served-store";
import { sweep } from "../../../src/work";
import { testServices } from "../../support/services";
import { NOW_MS } from "./seed";

const database = new Database(env.DB);

function bench() {
  const clock = { nowMs: NOW_MS };
  return { clock, services: testServices({ clock: { nowMs: () => clock.nowMs } }) };
}

const servedTo = (orgId: string, sessionId: string, nowMs: number) =>
  database.all(z.object({ entity_id: z.int() }), servedIds({ orgId, sessionId, nowMs }, "user_playbook"));

describe("what a session was served", () => {
  const rules = (...ids: number[]) => ids.map((id) => ({ kind: "user_playbook" as const, id }));

  it("is one row a rule, whichever note comes first or twice, and lives as long as the latest says", async () => {
    const session = { orgId: "served twice", sessionId: "s" };
    await database.run(recordServed(session, rules(1, 2, 2), 2_000));
    await database.run(recordServed(session, rules(1, 2, 2), 2_000));
    await database.run(recordServed(session, rules(2, 3), 1_000));
    expect(await servedTo(session.orgId, "s", 0)).toEqual(
      rules(1, 2, 3).map(({ id }) => ({ entity_id: id })),
    );
    expect(await servedTo(session.orgId, "s", 1_000)).toEqual([{ entity_id: 1 }, { entity_id: 2 }]);
  });

  it("is bounded by the newest 500", async () => {
    const { services, clock } = bench();
    const session = { orgId: "served much", sessionId: "s" };
    const note = (first: number, count: number) =>
      rememberServed(services, database, session, {
        userPlaybooks: Array.from({ length: count }, (_, position) => ({ id: first + position })),
        agentPlaybooks: [],
      });
    await database.run(recordServed({ ...session, sessionId: "other" }, rules(1), NOW_MS * 2));
    for (let turn = 0; turn < 6; turn += 1) {
      await note(1 + turn * 100, 100);
      clock.nowMs += 1;
    }
    const kept = await servedTo(session.orgId, "s", NOW_MS);
    expect(kept).toHaveLength(500);
    expect(kept[0]).toEqual({ entity_id: 101 });
    expect(await servedTo(session.orgId, "other", NOW_MS)).toHaveLength(1);
  });

  it("is pruned by the sweep when it has expired, and not before", async () => {
    const { services, clock } = bench();
    const session = { orgId: "served and swept", sessionId: "s" };
    await database.run(recordServed(session, rules(1), clock.nowMs));
    await database.run(recordServed(session, rules(2), clock.nowMs + 1));
    await sweep(services);
    expect(await servedTo(session.orgId, "s", 0)).toEqual([{ entity_id: 2 }]);
  });

  it("is pruned a bounded number at a time, the oldest first, by its index", async () => {
    const session = { orgId: "served and pruned", sessionId: "s" };
    for (const id of [3, 1, 2]) await database.run(recordServed(session, rules(id), id));
    expect(await database.run(pruneServed(3, 2))).toBe(2);
    expect(await servedTo(session.orgId, "s", 0)).toEqual([{ entity_id: 3 }]);
    const { text, params } = pruneServed(3, 2);
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
      .bind(...params)
      .all<{ detail: string }>();
    const details = plan.results.map(({ detail }) => detail).join("\n");
    expect(details).toContain("served_rules_expiry (expires_at_ms<?)");
    expect(details).not.toContain("SCAN served_rules");
  });

  it("is looked up by its key", async () => {
    const { text, params } = servedIds({ orgId: "o", sessionId: "s", nowMs: 1 }, "user_playbook");
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
      .bind(...params)
      .all<{ detail: string }>();
    expect(plan.results.map(({ detail }) => detail).join()).toContain(
      "PRIMARY KEY (org_id=? AND session_id=? AND kind=?)",
    );
  });
});
