/** Every call of a port during an erasure fails once, before and after its effect: it ends where it would have. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type BatchResult, Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import { clearUser } from "../../../src/erasure/clear";
import { stages } from "../../../src/erasure/model";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import { scopesOf } from "../../../src/platform/principal";
import { insertAgentPlaybooks, insertSources, insertUserPlaybooks } from "../../../src/playbooks/store";
import type { Services } from "../../../src/services";
import { performWork } from "../../../src/work";
import { db } from "../learning/support";
import { agentRow, userRow } from "./rows";
import { hidingPlaces, newWorld, OTHER, VERSION, VICTIM } from "./support";

const WORD = "mzqfaultzq";
const { services } = await newWorld();

/** Counts calls of the database and the index, and fails at one of them. */
class Fault {
  calls = 0;
  constructor(
    private readonly atCall: number,
    private readonly isAfterEffect: boolean,
  ) {}
  async pass<Result>(effect: () => Promise<Result>): Promise<Result> {
    this.calls += 1;
    if (this.calls !== this.atCall) return effect();
    if (this.isAfterEffect) await effect();
    throw new Error("the call failed");
  }
}

class FaultyDatabase extends Database {
  constructor(private readonly fault: Fault) {
    super(env.DB);
  }
  override batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    return this.fault.pass(() => super.batch(statements));
  }
}

function throughFault(fault: Fault): Services {
  const faulty = new FaultyDatabase(fault);
  return {
    ...services,
    embedder: services.embedder,
    database: () => faulty,
    vectors: {
      upsert: (entries) => services.vectors.upsert(entries),
      query: (query) => services.vectors.query(query),
      remove: (orgId, ids) => fault.pass(() => services.vectors.remove(orgId, ids)),
    },
  };
}

async function plantLittle(orgId: string): Promise<void> {
  for (const [user, content] of [
    [VICTIM, WORD],
    [OTHER, "Say it."],
  ] as const) {
    const body = publishBodySchema.parse({
      ...{ user_id: user, session_id: `${user}-s`, request_id: `${user}-r`, agent_version: VERSION },
      interaction_data_list: [{ content }, { content }],
    });
    await publish(services, orgId, body);
  }
  await db.batch([
    ...insertUserPlaybooks([
      userRow(orgId, 1, { content: WORD }),
      userRow(orgId, 2, { content: "Say it." }),
      userRow(orgId, 3, { content: "Say it.", userId: OTHER }),
    ]),
    ...insertAgentPlaybooks([
      agentRow(orgId, 1, { content: `Say ${WORD}` }),
      agentRow(orgId, 2, { content: "Say it." }),
      agentRow(orgId, 3, { content: "Untouched." }),
    ]),
    ...insertSources(orgId, 1, [{ userPlaybookId: 1, sourceInteractionIds: [1] }]),
    ...insertSources(orgId, 2, [
      { userPlaybookId: 2, sourceInteractionIds: [1] },
      { userPlaybookId: 3, sourceInteractionIds: [3] },
    ]),
  ]);
}

const clear = (orgId: string, given: Services) =>
  clearUser(
    {
      services: given,
      db: given.database(orgId),
      orgId,
      principal: { orgId, id: "ona", roles: ["owner"], scopes: scopesOf(["owner"]) },
      requestId: "call",
    },
    VICTIM,
  );

const TABLES = [
  ...["interactions", "requests", "user_playbooks", "agent_playbooks"],
  ...["erasures", "erasure_targets", "windows", "cursors"],
];

/** What the end of an erasure has to look like, whatever failed on the way. */
async function endOf(orgId: string) {
  const counts = TABLES.map((table) => `(SELECT count(*) FROM ${table} WHERE org_id = ?1) AS ${table}`);
  const [row] = await db.all(z.record(z.string(), z.unknown()), {
    text: `SELECT ${counts.join(", ")},
      (SELECT json_group_array(json_array(state, json(counts))) FROM erasure_log WHERE org_id = ?1) AS log,
      (SELECT count(*) FROM outbox WHERE org_id = ?1 AND topic = 'erasure') AS work,
      (SELECT group_concat(agent_playbook_id || ' ' || playbook_status, ', ' ORDER BY agent_playbook_id)
        FROM agent_playbooks WHERE org_id = ?1) AS agents,
      (SELECT group_concat(entity_type || ' ' || entity_id, ', ' ORDER BY entity_type, entity_id) FROM lineage
        WHERE org_id = ?1 AND op = 'hard_delete') AS lineage`,
    params: [orgId],
  });
  const { log, ...end } = row ?? {};
  return { log: String(log), end: { ...end, hidden: await hidingPlaces([WORD, VICTIM], orgId) } };
}

let orgs = 0;

/** Erases with one fault; then whoever asked, or the queue, tries again until it is done. */
async function run(atCall: number, isAfterEffect: boolean) {
  orgs += 1;
  const orgId = `erased-with-faults-${orgs}`;
  await plantLittle(orgId);
  const fault = new Fault(atCall, isAfterEffect);
  await clear(orgId, throughFault(fault)).catch(() => clear(orgId, services));
  for (let round = 0; round < 5; round += 1) {
    await services.settled();
    const due = await db.all(
      z.object({ id: z.string() }),
      sql`SELECT id FROM outbox WHERE org_id = ${orgId} AND topic = 'erasure'`,
    );
    for (const { id } of due) await performWork(services, { orgId, id });
  }
  return { ...(await endOf(orgId)), calls: fault.calls };
}

const clean = await run(0, false);

describe("an erasure in which nothing fails", () => {
  it("trap 71: leaves rules of agents that owe the user nothing, and takes those that quote them", () => {
    expect(clean.end).toEqual({
      ...{ interactions: 2, requests: 1, user_playbooks: 1, agent_playbooks: 2 },
      ...{ erasures: 0, erasure_targets: 0, windows: 0, cursors: 0, work: 0, hidden: [] },
      agents: "2 approved, 3 approved",
      lineage: "agent_playbook 1, user_playbook 1, user_playbook 2",
    });
    expect(clean.log).toContain('"user_playbooks":2,"agent_playbooks":1');
    expect(clean.calls).toBeGreaterThan(2 * stages.length);
  });
});

describe("an erasure in which one call fails", () => {
  it.each(
    Array.from({ length: clean.calls }, (_, index) => index + 1).flatMap((call) => [
      { call, when: "before" },
      { call, when: "after" },
    ]),
  )("ends the same: call $call $when its effect", async ({ call, when }) => {
    const faulty = await run(call, when === "after");
    expect(faulty.end).toEqual(clean.end);
    // The counts are the same as well, where the caller asked once more for what was already gone.
    expect(faulty.log).toContain(clean.log.slice(1, -1));
  });
});
