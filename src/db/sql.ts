/** SQL as values: a template tag whose every interpolation is a bound parameter or another statement. */

export type SqlValue = string | number | null | ArrayBuffer;

export interface Statement {
  readonly text: string;
  readonly params: readonly SqlValue[];
}

const isStatement = (value: SqlValue | Statement): value is Statement =>
  typeof value === "object" && value !== null && "text" in value;

/** `sql\`SELECT … WHERE org_id = ${orgId}\``; a nested statement is spliced in with its parameters. */
export function sql(parts: TemplateStringsArray, ...values: (SqlValue | Statement)[]): Statement {
  let text = parts[0] ?? "";
  const params: SqlValue[] = [];
  values.forEach((value, position) => {
    if (isStatement(value)) {
      text += value.text;
      params.push(...value.params);
    } else {
      text += "?";
      params.push(value);
    }
    text += parts[position + 1] ?? "";
  });
  return { text, params };
}

/** Nothing, for an optional clause. */
export const nothing: Statement = { text: "", params: [] };

/** `AND a AND b …`, or nothing. */
export const and = (clauses: readonly Statement[]): Statement =>
  clauses.reduce((all, clause) => sql`${all} AND ${clause}`, nothing);

/** `column IN (…)` over any number of values with one bound parameter (D1 allows 100). */
export const inList = (column: string, values: readonly (string | number)[]): Statement => ({
  text: `${column} IN (SELECT value FROM json_each(?))`,
  params: [JSON.stringify(values)],
});

/**
 * A condition of the whole batch: when the scalar `condition` is not exactly 1, everything in the batch
 * rolls back and `GuardFailed` names the guard. `condition` is one scalar: `EXISTS (…)`, `changes() = 1`
 * or a sub-select; one with its own FROM that finds no row would guard nothing.
 */
export const guard = (name: GuardName, condition: Statement): Statement =>
  sql`INSERT INTO guard (name, ok) SELECT ${name}, (${condition})`;

export type GuardName =
  | "lease"
  | "cursor"
  | "window"
  | "request_new"
  | "sources"
  | "state_version"
  | "expected_agent"
  | "still_current"
  | "version"
  | "members"
  | "operation"
  | "erasure";
