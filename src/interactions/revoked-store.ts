/** What a revocation in force keeps out of learning, as conditions for other statements. */
import { isBeingErased } from "../db/erasure-mark";
import { type Statement, sql } from "../db/sql";

/** A value to bind, or a column of the statement that the condition stands in. */
type Operand = string | Statement;

/** A lifted revocation keeps nothing out any more. */
const inForce = (orgId: Operand, userId: Operand): Statement =>
  sql`v.org_id = ${orgId} AND v.user_id = ${userId} AND v.state IN ('running', 'done')`;

/** Scalar: nothing may be learned from this user, who is revoked or being erased. Two seeks. */
export const userIsRevoked = (orgId: Operand, userId: Operand): Statement =>
  sql`(EXISTS (SELECT 1 FROM revocations v WHERE ${inForce(orgId, userId)} AND v.kind = 'user')
      OR ${isBeingErased(orgId, userId)})`;

/** Rows: ids of the user's turns that are revoked one by one. */
export const revokedTurns = (orgId: Operand, userId: Operand): Statement =>
  sql`SELECT named.value FROM revocations v CROSS JOIN json_each(v.interaction_ids) named
      WHERE ${inForce(orgId, userId)}`;

/** Scalar: neither this turn nor its user is revoked. With bound operands it is looked up once a statement. */
export const mayLearnFrom = (orgId: Operand, userId: Operand, interactionId: Statement): Statement =>
  sql`NOT ${userIsRevoked(orgId, userId)} AND ${interactionId} NOT IN (${revokedTurns(orgId, userId)})`;
