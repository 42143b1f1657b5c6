/** The migrated database is what the tables say, and every table is keyed by its org. */
import { env } from "cloudflare:workers";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import * as tables from "../../../src/db/tables";

const all = Object.values<unknown>(tables).filter((table) => is(table, SQLiteTable));

describe("the migrated database", () => {
  it.each(all.map((table) => [getTableName(table), table] as const))(
    "has the columns of %s",
    async (name, table) => {
      const { results } = await env.DB.prepare(`PRAGMA table_info(${name})`).all<{
        name: string;
        notnull: number;
      }>();
      const declared = Object.values(getTableColumns(table)).map((column) => column.name);
      expect(results.map((column) => column.name).sort()).toEqual(declared.sort());
    },
  );

  it.each(all.map((table) => [getTableName(table), table] as const))(
    "has the indexes of %s",
    async (name, table) => {
      const { results } = await env.DB.prepare(`PRAGMA index_list(${name})`).all<{
        name: string;
        origin: string;
      }>();
      const made = results.filter((index) => index.origin === "c").map((index) => index.name);
      expect(made.sort()).toEqual(
        getTableConfig(table)
          .indexes.map((index) => index.config.name)
          .sort(),
      );
    },
  );

  it("gives every table an org", () => {
    expect(
      all.filter(
        (table) => !Object.values(getTableColumns(table)).some((column) => column.name === "org_id"),
      ),
    ).toEqual([]);
  });
});
