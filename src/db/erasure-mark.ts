/** The mark of a user who is being erased, as a condition for other statements. */
import { type Statement, sql } from "./sql";

/** A value to bind, or a column of the statement that the condition stands in. */
type Operand = string | Statement;

/**
 * Scalar: this user is being erased. One seek in a table that is almost always empty. Every statement that shows
 * what users said asks it, so that nothing shows from the first batch of an erasure on.
 */
export const isBeingErased = (orgId: Operand, userId: Operand): Statement =>
  sql`EXISTS (SELECT 1 FROM erasures e WHERE e.org_id = ${orgId} AND e.user_id = ${userId})`;
