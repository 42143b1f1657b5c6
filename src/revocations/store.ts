/** SQL of revocations as records: beginning, finding, counting, ending and lifting them. */
import * as z from "zod";
import type { Database } from "../db/client";
import { guard, nothing, type Statement, sql } from "../db/sql";
import { dropWindows } from "../interactions/delete-store";
import {
  type Revocation,
  type RevocationTarget,
  revocationKinds,
  revocationStates,
  touchedSchema,
} from "./model";
import { countTurns, type Look, nothingOpen, touchedWindows } from "./open-store";

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z.string().transform((text): z.output<Schema> => schema.parse(JSON.parse(text)));

const revocationRow = z
  .object({
    revocation_id: z.string(),
    kind: z.enum(revocationKinds),
    user_id: z.string(),
    interaction_ids: json(z.array(z.int())),
    reason: z.string(),
    principal_id: z.string(),
    created_at: z.int(),
    state: z.enum(revocationStates),
    touched: json(touchedSchema),
  })
  .transform(
    (row): Revocation => ({
      revocationId: row.revocation_id,
      kind: row.kind,
      userId: row.user_id,
      interactionIds: row.interaction_ids,
      reason: row.reason,
      principalId: row.principal_id,
      createdAt: row.created_at,
      state: row.state,
      touched: row.touched,
    }),
  );

const COLUMNS: Statement = {
  text: "revocation_id, kind, user_id, interaction_ids, reason, principal_id, created_at, state, touched",
  params: [],
};

/** The canonical text by which two targets are the same. */
const idsOf = ({ interactionIds }: RevocationTarget): string => JSON.stringify(interactionIds);

export const findRevocation = (
  db: Database,
  orgId: string,
  revocationId: string,
): Promise<Revocation | null> =>
  db.first(
    revocationRow,
    sql`SELECT ${COLUMNS} FROM revocations WHERE org_id = ${orgId} AND revocation_id = ${revocationId}`,
  );

/** Every revocation of exactly this target, newest first. */
export const revocationsOf = (db: Database, orgId: string, target: RevocationTarget): Promise<Revocation[]> =>
  db.all(
    revocationRow,
    sql`SELECT ${COLUMNS} FROM revocations INDEXED BY revocations_by_user
        WHERE org_id = ${orgId} AND user_id = ${target.userId}
        AND kind = ${target.kind} AND interaction_ids = ${idsOf(target)}
        ORDER BY created_at DESC, revocation_id DESC`,
  );

/** Newest first; those before `beforeId`, where it is given. */
export function listRevocationRows(
  db: Database,
  orgId: string,
  page: { beforeId: string | null; limit: number },
): Promise<Revocation[]> {
  const before =
    page.beforeId === null
      ? nothing
      : sql` AND (created_at, revocation_id) < (SELECT created_at, revocation_id FROM revocations
          WHERE org_id = ${orgId} AND revocation_id = ${page.beforeId})`;
  return db.all(
    revocationRow,
    sql`SELECT ${COLUMNS} FROM revocations WHERE org_id = ${orgId}${before}
        ORDER BY created_at DESC, revocation_id DESC LIMIT ${page.limit}`,
  );
}

export type NewRevocation = Omit<Revocation, "state" | "touched"> & { orgId: string };

/** Writes the record. Guard `operation`: no revocation of the same target is under way. */
export const insertRevocation = (revocation: NewRevocation): Statement[] => [
  guard(
    "operation",
    sql`SELECT NOT EXISTS (SELECT 1 FROM revocations WHERE org_id = ${revocation.orgId}
        AND user_id = ${revocation.userId} AND state = 'running' AND kind = ${revocation.kind}
        AND interaction_ids = ${idsOf(revocation)})`,
  ),
  sql`INSERT INTO revocations (org_id, revocation_id, kind, user_id, interaction_ids, reason, principal_id, created_at,
        state, touched)
      VALUES (${revocation.orgId}, ${revocation.revocationId}, ${revocation.kind}, ${revocation.userId},
        ${idsOf(revocation)}, ${revocation.reason}, ${revocation.principalId}, ${revocation.createdAt}, 'running',
        json_object('turns', (${countTurns(revocation.orgId, revocation)}), 'windows', 0, 'user_playbooks', 0,
          'agent_playbooks', 0))`,
];

const aRevocation = (orgId: string, revocationId: string): Statement =>
  sql`org_id = ${orgId} AND revocation_id = ${revocationId}`;

/** Drops the user's unfinished windows that show a revoked turn, and counts them. */
export const dropTouchedWindows = (revocation: NewRevocation): Statement[] => {
  const { orgId, userId, revocationId, createdAt } = revocation;
  return [
    ...dropWindows(orgId, sql`SELECT ${userId}`, touchedWindows(orgId, revocation), createdAt),
    sql`UPDATE revocations SET touched = json_set(touched, '$.windows', changes())
        WHERE ${aRevocation(orgId, revocationId)}`,
  ];
};

/** Counts what the lineage says the revocation has touched. */
export const countTouched = (orgId: string, revocationId: string): Statement => {
  const events = (type: string): Statement =>
    sql`(SELECT count(*) FROM lineage INDEXED BY lineage_by_request WHERE org_id = ${orgId}
        AND request_id = ${revocationId} AND entity_type = ${type})`;
  return sql`UPDATE revocations SET touched = json_set(touched, '$.user_playbooks', ${events("user_playbook")},
        '$.agent_playbooks', ${events("agent_playbook")}) WHERE ${aRevocation(orgId, revocationId)}`;
};

/** Ends a revocation that has nothing left to touch. Guard `operation`. */
export const finishRevocation = (look: Look & { revocationId: string }): Statement[] => [
  sql`UPDATE revocations SET state = 'done' WHERE ${aRevocation(look.orgId, look.revocationId)}
        AND state = 'running' AND ${nothingOpen(look)}`,
  guard("operation", sql`changes() = 1`),
];

/** Lifts a revocation that is done. Guard `operation`. */
export const liftRevocationRow = (orgId: string, revocationId: string): Statement[] => [
  sql`UPDATE revocations SET state = 'lifted' WHERE ${aRevocation(orgId, revocationId)} AND state = 'done'`,
  guard("operation", sql`changes() = 1`),
];
