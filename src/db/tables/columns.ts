/** Every table is keyed by its org first. */
import { text } from "drizzle-orm/sqlite-core";

export const orgId = () => text("org_id").notNull();
