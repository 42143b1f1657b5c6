/** Orgs with rules whose descent is known, and what a revocation made of them. */
import { env } from "cloudflare:workers";
import * as z from "zod";
import { type BatchResult, Database } from "../../../src/db/client";
import { recordLineage } from "../../../src/db/lineage";
import type { WorkMessage } from "../../../src/db/outbox";
import { type Statement, sql } from "../../../src/db/sql";
import type { RequestScope } from "../../../src/http/route";
import { scopesOf } from "../../../src/platform/principal";
import type { NewAgentPlaybook, NewUserPlaybook } from "../../../src/playbooks/model";
import { insertAgentPlaybooks, insertSources, insertUserPlaybooks } from "../../../src/playbooks/store";
import { type RevocationTarget, revocationKinds } from "../../../src/revocations/model";
import { previewRevocation } from "../../../src/revocations/preview";
import { revoke } from "../../../src/revocations/revoke";
import { performWork } from "../../../src/work";
import { learningServices } from "../learning/support";

export const NOW_MS = Date.UTC(2030, 0, 1, 12);
export const db = new Database(env.DB);

let orgs = 0;

export type Room = ReturnType<typeof newRoom>;

/** A fresh org with the services of learning and a reviewer. */
export function newRoom(overrides: Parameters<typeof learningServices>[0] = {}) {
  orgs += 1;
  const orgId = `revoking-${orgs}`;
  const { services, reasoner, clock } = learningServices(overrides);
  return { orgId, services, reasoner, clock, scope: scopeOf(orgId, services) };
}

export const scopeOf = (
  orgId: string,
  services: RequestScope["services"],
  more: { principalId?: string; headers?: Record<string, string>; db?: Database } = {},
): RequestScope => ({
  services,
  principal: { orgId, id: more.principalId ?? "rita", roles: ["reviewer"], scopes: scopesOf(["reviewer"]) },
  orgId,
  db: more.db ?? services.database(orgId),
  requestId: "call-1",
  headers: new Headers(more.headers ?? {}),
  browser: null,
});

type SeedUser = Partial<NewUserPlaybook> & { userPlaybookId: number };

const userRow = (orgId: string, seed: SeedUser): NewUserPlaybook => ({
  orgId,
  userId: "mallory",
  agentVersion: "v1",
  requestId: "seed",
  playbookName: "playbook",
  createdAt: Math.floor(NOW_MS / 1000),
  updatedAtMs: NOW_MS,
  content: `Say rule ${seed.userPlaybookId}.`,
  trigger: `When asked about ${seed.userPlaybookId}`,
  rationale: null,
  status: null,
  source: null,
  sourceInteractionIds: [seed.userPlaybookId],
  sourceSpan: null,
  tags: null,
  notes: null,
  readerAngle: null,
  expandedTerms: null,
  flags: [],
  windowId: null,
  ...seed,
});

export const seedUsers = (orgId: string, ...seeds: SeedUser[]) =>
  db.batch(insertUserPlaybooks(seeds.map((seed) => userRow(orgId, seed))));

type SeedAgent = Partial<NewAgentPlaybook> & {
  agentPlaybookId: number;
  sources?: number[];
  /** Why aggregation made it; absent where a person added it. */
  made?: "incremental" | "incremental_refresh";
  supersededBy?: number;
};

export async function seedAgents(orgId: string, ...seeds: SeedAgent[]): Promise<void> {
  for (const { sources = [], made, supersededBy, ...seed } of seeds) {
    const row: NewAgentPlaybook = {
      orgId,
      agentVersion: "v1",
      playbookName: "playbook",
      createdAt: Math.floor(NOW_MS / 1000),
      updatedAtMs: NOW_MS,
      content: `Agents say rule ${seed.agentPlaybookId}.`,
      trigger: `When agents are asked about ${seed.agentPlaybookId}`,
      rationale: null,
      playbookStatus: "approved",
      playbookMetadata: "",
      status: null,
      tags: null,
      expandedTerms: null,
      flags: [],
      decidedBy: null,
      decidedAt: null,
      replaces: null,
      ...seed,
    };
    const { agentPlaybookId } = row;
    await db.batch([
      ...insertAgentPlaybooks([row]),
      ...insertSources(
        orgId,
        agentPlaybookId,
        sources.map((userPlaybookId) => ({ userPlaybookId, sourceInteractionIds: [userPlaybookId] })),
      ),
      ...(made === undefined
        ? []
        : [
            await recordLineage({
              ...{ orgId, entityType: "agent_playbook", entityId: agentPlaybookId, op: "aggregate" },
              ...{ actor: "aggregation", requestId: `run-${agentPlaybookId}`, reason: made, createdAt: 1 },
            }),
          ]),
      ...(supersededBy === undefined
        ? []
        : [
            sql`UPDATE agent_playbooks SET status = 'superseded', superseded_by = ${supersededBy}
                WHERE org_id = ${orgId} AND agent_playbook_id = ${agentPlaybookId}`,
          ]),
    ]);
  }
}

export const wholeUser = (userId = "mallory"): RevocationTarget => ({
  kind: revocationKinds[1],
  userId,
  interactionIds: [],
});

export const turnsOf = (interactionIds: number[], userId = "mallory"): RevocationTarget => ({
  kind: revocationKinds[0],
  userId,
  interactionIds,
});

/** Looks and revokes, as a caller does who read the list. */
export async function revokeNow(scope: RequestScope, target: RevocationTarget, reason = "poisoned") {
  const { token } = await previewRevocation(scope, target);
  return revoke(scope, target, reason, token);
}

/** Delivers what waits in the outbox of an org, topic by topic, until nothing is due. */
export async function deliver(room: Pick<Room, "orgId" | "services">, topic: string): Promise<void> {
  for (let round = 0; round < 30; round += 1) {
    const rows = await db.all(
      z.object({ id: z.string() }),
      sql`SELECT id FROM outbox WHERE org_id = ${room.orgId} AND topic = ${topic} ORDER BY id`,
    );
    if (rows.length === 0) return;
    for (const { id } of rows) await performWork(room.services, { orgId: room.orgId, id });
  }
  throw new Error(`work of ${topic} never ended`);
}

export const messageOf = async (orgId: string, topic: string): Promise<WorkMessage | null> => {
  const row = await db.first(
    z.object({ id: z.string() }),
    sql`SELECT id FROM outbox WHERE org_id = ${orgId} AND topic = ${topic}`,
  );
  return row === null ? null : { orgId, id: row.id };
};

const userView = z.object({
  id: z.int(),
  user: z.string().nullable(),
  status: z.string().nullable(),
  flags: z.string().transform((text): unknown => JSON.parse(text)),
  updated: z.int(),
});

export const usersOf = (orgId: string) =>
  db.all(
    userView,
    sql`SELECT user_playbook_id AS id, user_id AS user, status, flags, updated_at_ms AS updated FROM user_playbooks
        WHERE org_id = ${orgId} ORDER BY id`,
  );

const agentView = z.object({
  id: z.int(),
  approval: z.string(),
  status: z.string().nullable(),
  flags: z.string().transform((text): unknown => JSON.parse(text)),
  version: z.int(),
  by: z.string().nullable(),
  metadata: z.string(),
});

export const agentsOf = (orgId: string) =>
  db.all(
    agentView,
    sql`SELECT agent_playbook_id AS id, playbook_status AS approval, status, flags, version, decided_by AS by,
          playbook_metadata AS metadata FROM agent_playbooks WHERE org_id = ${orgId} ORDER BY id`,
  );

const eventView = z.object({
  type: z.string(),
  id: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  space: z.string().nullable(),
  actor: z.string(),
  reason: z.string().nullable(),
});

/** Lineage of one revocation, or of one rule. */
export const lineageOf = (orgId: string, requestId: string) =>
  db.all(
    eventView,
    sql`SELECT entity_type AS type, entity_id AS id, from_status AS "from", to_status AS "to",
          status_namespace AS space, actor, reason FROM lineage
        WHERE org_id = ${orgId} AND request_id = ${requestId} ORDER BY type, CAST(entity_id AS INTEGER)`,
  );

export async function count(statement: Statement): Promise<number> {
  const row = await db.first(z.object({ n: z.int() }), sql`SELECT count(*) AS n FROM ${statement}`);
  return row?.n ?? 0;
}

/** Does something right before the first batch that writes. */
export class Disturbed extends Database {
  private isOver = false;
  constructor(
    private readonly before: () => Promise<unknown>,
    private readonly marks: string,
  ) {
    super(env.DB);
  }
  override async batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    if (!this.isOver && statements.some(({ text }) => text.includes(this.marks))) {
      this.isOver = true;
      await this.before();
    }
    return super.batch(statements);
  }
}

export const disturbed = (room: Room, before: () => Promise<unknown>, marks = "INSERT INTO revocations") => {
  const disturbing = new Disturbed(before, marks);
  const services = { ...room.services, database: () => disturbing };
  return scopeOf(room.orgId, services, { db: disturbing });
};

export async function twoRules(): Promise<Room> {
  const room = newRoom();
  await seedUsers(
    room.orgId,
    { userPlaybookId: 1, sourceInteractionIds: [1] },
    { userPlaybookId: 2, sourceInteractionIds: [2] },
  );
  await seedAgents(room.orgId, { agentPlaybookId: 1, sources: [1, 2] });
  return room;
}
