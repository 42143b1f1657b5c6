/**
 * Every table of the database. Drizzle generates the migrations from them and a test holds the migrated
 * database against them. `_ms` columns are milliseconds, `created_at`-like ones seconds.
 */
export * from "./aggregation";
export * from "./desk";
export * from "./interactions";
export * from "./learning";
export * from "./once";
export * from "./orgs";
export * from "./playbooks";
export * from "./search";
export * from "./webhooks";
