/** User playbooks in states of every kind, and version changes carried on as the sweep would. */
import * as z from "zod";
import type { Database } from "../../../src/db/client";
import { completeWork, findWork } from "../../../src/db/outbox";
import { sql } from "../../../src/db/sql";
import type { NewUserPlaybook } from "../../../src/playbooks/model";
import { insertUserPlaybooks } from "../../../src/playbooks/store";
import { runVersionChange } from "../../../src/playbooks/version-change";
import { scopeOf } from "./client";
import { db, newOrg, userRule } from "./rules";
import { roomServices } from "./services";

export const EVERYTHING = { agentVersion: null, playbookName: null };

type Statuses = readonly (NewUserPlaybook["status"] | undefined)[];

/** Rules of these states, with ids from 1 on. */
export const plant = (
  orgId: string,
  statuses: Statuses,
  overrides: Partial<NewUserPlaybook> = {},
  firstId = 1,
) =>
  db.batch(
    insertUserPlaybooks(
      statuses.map((status, at) => userRule(orgId, firstId + at, { ...overrides, status: status ?? null })),
    ),
  );

export const THREE_TWO_TWO: Statuses = [null, null, null, "pending", "pending", "archived", "archived"];

export async function statusesOf(orgId: string): Promise<Record<number, string>> {
  const rows = await db.all(
    z.object({ id: z.int(), status: z.string().nullable() }),
    sql`SELECT user_playbook_id AS id, status FROM user_playbooks WHERE org_id = ${orgId} ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ id, status }) => [id, status ?? "current"]));
}

const reviewerOf = (orgId: string) => ({ ...newOrg().anna, orgId });

/** Services whose database may be disturbed. */
export function scopeWith(orgId: string, database: Database = db, requestId = "call-1") {
  const services = { ...roomServices(), database: () => database };
  return scopeOf(reviewerOf(orgId), { services, db: database, requestId });
}

/** Does the outbox's generation work until none is left, as the sweep would. */
export async function sweepWork(orgId: string): Promise<void> {
  const services = roomServices();
  for (let round = 0; round < 10; round += 1) {
    const rows = await db.all(
      z.object({ id: z.string() }),
      sql`SELECT id FROM outbox WHERE org_id = ${orgId} AND topic = 'generation'`,
    );
    if (rows.length === 0) return;
    for (const { id } of rows) {
      const work = await findWork(db, { orgId, id });
      if (work !== null && (await runVersionChange(services, work)) === "done")
        await db.run(completeWork(work));
    }
  }
  throw new Error("the change never came to an end");
}
