import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { listAgentPlaybooks, loadAgentPlaybooks, loadSources } from "../../../src/playbooks/agent-store";
import { isDecided } from "../../../src/playbooks/decisions-store";
import { loadCitedTurns, loadHistory } from "../../../src/playbooks/evidence-store";
import { countLiving } from "../../../src/playbooks/follow-up-store";
import { queueOf } from "../../../src/playbooks/queue-store";
import { loadUndoFacts } from "../../../src/playbooks/undo-store";
import { listUserPlaybooks, loadUserPlaybooks } from "../../../src/playbooks/user-store";
import { countUses, findSubjects, newestApplications } from "../../../src/playbooks/uses-store";
import { findForeignVectors, loadRuleStates, loadVectors } from "../../../src/playbooks/vector-store";
import { recordFirstServing } from "../../../src/search/served-store";

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
    ["a user's rules", (db) => listUserPlaybooks(db, org, { limit, userId: "u" }), "(org_id=? AND user_id=?"],
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
    [
      "what was built on decisions",
      (db) => loadUndoFacts(db, org, [1, 2]),
      "SEARCH d USING INDEX sqlite_autoindex_decisions_1 (org_id=? AND agent_playbook_id=? AND version=?)",
    ],
    [
      "rules that replace one",
      (db) => loadUndoFacts(db, org, [1]),
      "agent_playbooks_replacing (org_id=? AND replaces=?)",
    ],
    ["a decision", (db) => isDecided(db, org, 1, 2, "c"), "(org_id=? AND agent_playbook_id=? AND version=?)"],
    [
      "uses of rules",
      (db) => countUses(db, org, "agent_playbook", [1]),
      "(org_id=? AND kind=? AND entity_id=?)",
    ],
    [
      "turns that cite a rule",
      (db) => newestApplications(db, org, "agent_playbook", 1, 20),
      "(org_id=? AND kind=? AND entity_id=?)",
    ],
    [
      "the turn that feedback is about",
      (db) => findSubjects(db, org, { kind: "agent_playbook", entityId: 1, interactionId: 5 }),
      "interactions_stream (org_id=? AND user_id=? AND interaction_id=?)",
    ],
    [
      "the review queue",
      (db) => queueOf(db, org, { status: "pending", limit, before: { createdAt: 1, agentPlaybookId: 1 } }),
      "agent_playbooks_queue (org_id=? AND playbook_status=? AND (created_at,agent_playbook_id)<(?,?))",
    ],
    [
      "the review queue by words",
      (db) => queueOf(db, org, { status: "pending", limit, query: "refund" }),
      "SEARCH agent_playbooks USING INTEGER PRIMARY KEY (rowid=?)",
    ],
    [
      "the first serving of decisions",
      (db) => db.run(recordFirstServing(org, [{ id: 1, version: 2 }], 5)),
      "(org_id=? AND agent_playbook_id=? AND version=?)",
    ],
    ["vectors of other models", (db) => findForeignVectors(db, org, "m", 1), "vectors_recent (org_id=?"],
  ])("%s", async (_, ask, index) => {
    const plan = await planOf(ask);
    expect(plan.join("\n")).toContain(index);
    // A virtual table is a JSON array or the word index.
    const scans = plan.filter((step) => /^SCAN (?!\S+ VIRTUAL TABLE|\(subquery|CONSTANT)/.test(step));
    expect(scans).toEqual([]);
  });
});
