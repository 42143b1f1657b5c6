/** The five kinds of trigger. */
import * as z from "zod";
import { CATCH_UPS, FILTER_OPS, FILTER_TYPES, OUTCOMES, OVERLAPS, PATTERNS, SEVERITIES } from "../spec";
import { closed, count, flag, json, object, text, userSchema, word, words } from "./parts";

export const filterSchema = closed({
  path: text(),
  type: z.enum(FILTER_TYPES),
  op: z.enum(FILTER_OPS),
  value: json().exactOptional(),
});
const filters = () => z.array(filterSchema).exactOptional();
const triggerCommon = { id: word().exactOptional(), enabled: flag(), input: object().exactOptional() };

/** The members of each kind of trigger, `kind` first. */
export const TRIGGER_SHAPES = {
  schedule: {
    kind: z.literal("schedule"),
    ...triggerCommon,
    cron: text(),
    timezone: text().exactOptional(),
    overlap: z.enum(OVERLAPS).exactOptional(),
    catchUp: z.enum(CATCH_UPS).exactOptional(),
    jitterSeconds: count(0).exactOptional(),
  },
  webhook: {
    kind: z.literal("webhook"),
    ...triggerCommon,
    source: z.string().regex(PATTERNS.webhookSource),
    event: word(),
    filters: filters(),
  },
  manual: {
    kind: z.literal("manual"),
    ...triggerCommon,
    inputSchema: userSchema().exactOptional(),
    roles: words().exactOptional(),
  },
  dependency: {
    kind: z.literal("dependency"),
    ...triggerCommon,
    playbookId: word(),
    on: z.array(z.enum(OUTCOMES)).exactOptional(),
    terminator: word().exactOptional(),
    versionRange: word().exactOptional(),
    filters: filters(),
  },
  agent_finding: {
    kind: z.literal("agent_finding"),
    ...triggerCommon,
    agent: word().exactOptional(),
    role: word().exactOptional(),
    findingType: word().exactOptional(),
    minSeverity: z.enum(SEVERITIES).exactOptional(),
    filters: filters(),
  },
} as const;

export const triggerSchema = z.discriminatedUnion("kind", [
  closed(TRIGGER_SHAPES.schedule),
  closed(TRIGGER_SHAPES.webhook),
  closed(TRIGGER_SHAPES.manual),
  closed(TRIGGER_SHAPES.dependency),
  closed(TRIGGER_SHAPES.agent_finding),
]);
