import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { listAgentPlaybooks, loadAgentPlaybooks, loadSources } from "../../../src/playbooks/agent-store";
import { loadCitedTurns, loadHistory } from "../../../src/playbooks/evidence-store";
import { countLiving } from "../../../src/playbooks/follow-up-store";
import { listUserPlaybooks, loadUserPlaybooks } from "../../../src/playbooks/user-store";
import { findForeignVectors, loadRuleStates, loadVectors } from "../../../src/playbooks/vector-store";

/** Asks for the plan of what it is given instead of running it. */
class ExplainingDatabase extends Database {
  plan: string[] = [];
  constructor() {
    super(env.DB);
  }
  override async batch(statements: readonly Statement[]) {
    for (const { text, params } of statements) {
      const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
        .bind(...params)
        .all<{ detail: string }>();
      this.plan.push(...results.map((row) => row.detail));
    }
    return [];
  }
}

async function planOf(ask: (db: Database) => Promise<unknown>): Promise<string[]> {
  const db = new ExplainingDatabase();
  await ask(db);
  return db.plan;
}

const org = "org-plan";
const limit = 10;

describe("every read of this room finds its org by an index", () => {
  it.each<[string, (db: Database) => Promise<unknown>, string]>([
    ["user playbooks by id", (db) => loadUserPlaybooks(db, org, [1, 2]), "user_playbooks_by_id"],
    ["agent playbooks by id", (db) => loadAgentPlaybooks(db, org, [1, 2]), "agent_playbooks_by_id"],
    ["a user's rules", (db) => listUserPlaybooks(db, org, { limit, userId: "u" }), "user_playbooks_by_user"],
    ["an org's rules", (db) => listUserPlaybooks(db, org, { limit }), "(org_id=?"],
    [
      "rules of a version",
      (db) => listAgentPlaybooks(db, org, { limit, agentVersion: "v" }),
      "agent_playbooks_by_version",
    ],
    ["sources", (db) => loadSources(db, org, [1]), "(org_id=? AND agent_playbook_id=?)"],
    [
      "cited turns",
      (db) => loadCitedTurns(db, org, [["u", 1]], 10),
      "interactions_stream (org_id=? AND user_id=? AND interaction_id=?)",
    ],
    ["history", (db) => loadHistory(db, org, 1, 10), "lineage_by_entity"],
    ["rules of a repeated call", (db) => countLiving(db, org, "user_playbook", "k"), "lineage_by_request"],
    [
      "vectors of rules",
      (db) => loadVectors(db, org, "user_playbook", [1]),
      "(org_id=? AND kind=? AND entity_id=?)",
    ],
    ["states of rules", (db) => loadRuleStates(db, org, "agent_playbook", [1]), "agent_playbooks_by_id"],
    ["vectors of other models", (db) => findForeignVectors(db, org, "m", 1), "vectors_recent (org_id=?"],
  ])("%s", async (_, ask, index) => {
    const plan = await planOf(ask);
    expect(plan.join("\n")).toContain(index);
    const scans = plan.filter((step) => /^SCAN (?!json_each|wanted|\(subquery|CONSTANT)/.test(step));
    expect(scans).toEqual([]);
  });
});
