/** The D1 client: parsed rows, atomic guarded batches, and one place where faults get their names. */
import type * as z from "zod";
import type { GuardName, Statement } from "./sql";

/** A batch rolled back because one of its own conditions no longer held. */
export class GuardFailed extends Error {
  override readonly name = "GuardFailed";
  constructor(readonly guard: GuardName | string) {
    super(`guard ${guard} failed`);
  }
}

export interface BatchResult {
  rows: unknown[];
  /** Rows written, index entries included, as D1 bills them. */
  rowsWritten: number;
  rowsRead: number;
  changes: number;
}

const GUARD = /\bguard:([a-z_]+)/;

/** Finds a guard's name along the chain of causes. */
function guardOf(error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const name = GUARD.exec(cause.message)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}

/** One org's database. Stores take it from the request's org, never from a global. */
export class Database {
  constructor(private readonly d1: D1Database) {}

  /** Rows of one statement, each parsed. */
  async all<Row extends z.ZodType>(row: Row, statement: Statement): Promise<z.output<Row>[]> {
    const [result] = await this.batch([statement]);
    return (result?.rows ?? []).map((raw) => row.parse(raw));
  }

  /** The first row, or null. */
  async first<Row extends z.ZodType>(row: Row, statement: Statement): Promise<z.output<Row> | null> {
    const rows = await this.all(row, statement);
    return rows[0] ?? null;
  }

  /** @returns the number of rows changed */
  async run(statement: Statement): Promise<number> {
    const [result] = await this.batch([statement]);
    return result?.changes ?? 0;
  }

  /**
   * All statements in one transaction, in order.
   * @throws GuardFailed when one of the batch's guards did not hold; nothing was written.
   */
  async batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    try {
      const results = await this.d1.batch<unknown>(
        statements.map(({ text, params }) => this.d1.prepare(text).bind(...params)),
      );
      return results.map(({ results: rows, meta }) => ({
        rows: rows ?? [],
        rowsWritten: meta.rows_written,
        rowsRead: meta.rows_read,
        changes: meta.changes,
      }));
    } catch (error) {
      const name = guardOf(error);
      if (name !== undefined) throw new GuardFailed(name);
      throw error;
    }
  }
}
