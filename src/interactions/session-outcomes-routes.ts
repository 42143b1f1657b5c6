/** HTTP for how sessions ended, as Reflexio's client speaks it. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import { byteLength } from "../platform/text";
import { canonicalJson } from "./canonical";
import { identifier } from "./model";
import { refusals, reportOutcome } from "./session-outcomes";
import { listOutcomes, outcomeKinds, type SessionOutcome } from "./session-outcomes-store";

const common = { dialect: "reflexio", method: "post", tag: "Interactions" } as const;

const MAX_LABEL_CHARS = 128;
const MAX_METADATA_BYTES = 16_384;
const MAX_NAME_CHARS = 1_000;

const seconds = z.int().min(0);
const label = z.string().trim().min(1, { error: "must not be blank" }).max(MAX_LABEL_CHARS);
const metadata = z
  .record(z.string(), z.unknown())
  .refine((value) => byteLength(canonicalJson(value)) <= MAX_METADATA_BYTES, {
    error: "is too large",
    params: { expected: `at most ${MAX_METADATA_BYTES} bytes as JSON` },
  });

const outcomeView = z.object({
  session_id: z.string(),
  user_id: z.string(),
  source: z.string(),
  outcome: z.enum(outcomeKinds),
  occurred_at: z.int(),
  label: z.string().nullable(),
  value: z.number().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  created_at: z.int(),
});

const viewOf = (row: SessionOutcome): z.output<typeof outcomeView> => ({
  session_id: row.sessionId,
  user_id: row.userId,
  source: row.source,
  outcome: row.outcome,
  occurred_at: row.occurredAt,
  label: row.label,
  value: row.value,
  metadata: row.metadata === null ? null : outcomeView.shape.metadata.parse(JSON.parse(row.metadata)),
  created_at: row.createdAt,
});

const report = defineRoute({
  ...common,
  path: "/api/session_outcome",
  summary: "Say how a session ended",
  description:
    "The first outcome of a session counts: the same again answers `recorded: false`, another one is refused with a " +
    "`reason`. User and source are those of the session's earliest request. It goes when the session is deleted.",
  scope: "publish",
  limit: "publish",
  body: z.object({
    session_id: identifier,
    outcome: z.enum(outcomeKinds),
    occurred_at: seconds,
    label: label.nullish(),
    value: z.number().nullish(),
    metadata: metadata.nullish(),
  }),
  example: {
    body: { session_id: "ada-1", outcome: "success", occurred_at: "{{turn_created_at}}", label: "merged" },
  },
  response: z.object({
    success: z.boolean(),
    recorded: z.boolean(),
    reason: z.enum(refusals).optional(),
    message: z.string(),
    user_id: z.string().optional(),
    source: z.string().optional(),
  }),
  async handler(scope, { body }) {
    const result = await reportOutcome(scope, {
      sessionId: body.session_id,
      outcome: body.outcome,
      occurredAt: body.occurred_at,
      label: body.label ?? null,
      value: body.value ?? null,
      metadata: body.metadata ?? null,
    });
    if (result.kind === "refused") {
      return { success: false, recorded: false, reason: result.reason, message: result.message };
    }
    const { isNew, stored } = result;
    const message = isNew ? "The outcome is stored." : "The outcome was stored before.";
    return { success: true, recorded: isNew, message, user_id: stored.userId, source: stored.source };
  },
});

const list = defineRoute({
  ...common,
  path: "/api/get_session_outcomes",
  summary: "How sessions ended, newest first",
  description: "Times are seconds since 1970, bounds inclusive. An empty list of sessions matches nothing.",
  scope: "read",
  limit: "read",
  body: z
    .object({
      session_ids: z.array(identifier).max(100).nullish(),
      user_id: z.string().max(MAX_NAME_CHARS).nullish(),
      source: z.string().max(MAX_NAME_CHARS).nullish(),
      outcome: z.enum(outcomeKinds).nullish(),
      label: z.string().max(MAX_LABEL_CHARS).nullish(),
      start_time: seconds.nullish(),
      end_time: seconds.nullish(),
      top_k: z.int().min(1).max(1_000).default(100),
      offset: z.int().min(0).max(1_000_000).default(0),
    })
    .refine(({ start_time, end_time }) => start_time == null || end_time == null || start_time <= end_time, {
      path: ["end_time"],
      error: "must not be before start_time",
      params: { expected: "an instant that is not before start_time" },
    }),
  example: { body: { outcome: "success" }, after: "post /api/session_outcome" },
  response: z.object({ success: z.literal(true), session_outcomes: z.array(outcomeView) }),
  async handler({ db, orgId }, { body }) {
    const rows = await listOutcomes(db, orgId, {
      sessionIds: body.session_ids ?? undefined,
      userId: body.user_id ?? undefined,
      source: body.source ?? undefined,
      outcome: body.outcome ?? undefined,
      label: body.label ?? undefined,
      fromSec: body.start_time ?? undefined,
      toSec: body.end_time ?? undefined,
      limit: body.top_k,
      offset: body.offset,
    });
    return { success: true, session_outcomes: rows.map(viewOf) };
  },
});

export const sessionOutcomeRoutes: Route[] = [report, list];
