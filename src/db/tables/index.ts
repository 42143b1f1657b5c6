/**
 * Every table of the database. Drizzle generates the migrations from them and a test holds the migrated
 * database against them. `_ms` columns are milliseconds, `created_at`-like ones seconds.
 */
export * from "./aggregation";
export * from "./compat";
export * from "./desk";
export * from "./erasure";
export * from "./interactions";
export * from "./invalidations";
export * from "./learning";
export * from "./modes";
export * from "./once";
export * from "./orgs";
export * from "./playbooks";
export * from "./rebuild";
export * from "./review";
export * from "./search";
export * from "./webhooks";
