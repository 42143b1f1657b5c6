/** HTTP for reviews of stored user playbooks: the call of Reflexio's client, and how an applied review stands. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { RequestScope, Route } from "../../http/route";
import { instantMs, ordered } from "../../http/schemas";
import { Failure } from "../../platform/failure";
import {
  decisions,
  noCounts,
  type ReviewItem,
  type ReviewRun,
  reasonCodeOfDecision,
  runStates,
  type Selection,
  stopCodes,
  stopWords,
  storedReasonCodes,
} from "./model";
import { type Report, type Reported, reportReview } from "./report";
import { findRun, listItems, recentRuns } from "./run-store";
import { beginReview } from "./start";

const MAX_RULES = 100;
const RUNS_PATH = "/api/review_runs";

const editSchema = z.object({ content: z.string(), trigger: z.string(), rationale: z.string() });

const resultSchema = z.object({
  user_playbook_id: z.int(),
  decision: z.enum(decisions),
  reason_code: z.enum(storedReasonCodes),
  reason: z.string().nullable(),
  edit: editSchema.nullable(),
  applied: z.boolean(),
  successor_user_playbook_id: z.int().nullable(),
});

const countsShape = {
  selected_count: z.int(),
  accepted_count: z.int(),
  edited_count: z.int(),
  rejected_count: z.int(),
  skipped_count: z.int(),
};

const countsView = (counts: typeof noCounts, selected: number) => ({
  selected_count: selected,
  accepted_count: counts.accepted,
  edited_count: counts.edited,
  rejected_count: counts.rejected,
  skipped_count: counts.skipped,
});

const answerSchema = z.object({
  success: z.boolean(),
  report_only: z.boolean(),
  run_id: z.string().nullable(),
  ...countsShape,
  results: z.array(resultSchema),
  msg: z.string().nullable(),
});
type Answer = z.input<typeof answerSchema>;

const NOT_CONFIGURED = "Playbook extraction is not configured, so there is nothing to review rules by.";

const refused = (reportOnly: boolean, runId: string | null, msg: string): Answer => ({
  success: false,
  report_only: reportOnly,
  run_id: runId,
  ...countsView(noCounts, 0),
  results: [],
  msg,
});

function reportedView({ userPlaybookId, decided }: Reported): z.input<typeof resultSchema> {
  const lesson = decided.decision === "edit" ? decided.lesson : null;
  return {
    user_playbook_id: userPlaybookId,
    decision: decided.decision,
    reason_code: reasonCodeOfDecision(decided),
    reason: decided.decision === "skip" ? null : decided.reason,
    edit:
      lesson === null
        ? null
        : { content: lesson.content, trigger: lesson.trigger, rationale: lesson.rationale },
    applied: false,
    successor_user_playbook_id: null,
  };
}

function wordsOfStop({ stop, reported, selected }: Report): string | null {
  if (stop === null) return null;
  const done = `${reported.length} of ${selected} rules were reviewed.`;
  return stop === "out_of_time"
    ? `${done} A report takes nine minutes at most; a shorter time range or a smaller top_k shows the others.`
    : `${stopWords[stop]} ${done}`;
}

async function report(scope: RequestScope, selection: Selection): Promise<Answer> {
  const made = await reportReview(scope, selection);
  if (made === null) return refused(true, null, NOT_CONFIGURED);
  return {
    success: made.stop === null || made.stop === "out_of_time",
    report_only: true,
    run_id: null,
    ...countsView(made.counts, made.selected),
    results: made.reported.map(reportedView),
    msg: wordsOfStop(made),
  };
}

async function apply(scope: RequestScope, selection: Selection): Promise<Answer> {
  const begun = await beginReview(scope, selection);
  if ("refusal" in begun) {
    return begun.refusal === "not_configured"
      ? refused(false, null, NOT_CONFIGURED)
      : refused(false, begun.runId, "Another review is under way; its run_id is given.");
  }
  const { runId, selected } = begun.run;
  return {
    success: true,
    report_only: false,
    run_id: runId,
    ...countsView(noCounts, selected),
    results: [],
    msg:
      selected === 0
        ? "There are no current user playbooks of that time."
        : `The review of ${selected} rules has begun; ${RUNS_PATH}/${runId} shows how it stands.`,
  };
}

const review = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/review_user_playbooks",
  tag: "User playbooks",
  summary: "Review current user playbooks again, from the record they were learned from",
  description:
    "Looks at current rules made between `start_time` and `end_time`, newest first. Each is judged from the window it " +
    "was learned from and the turns it cites; only what it cites is evidence. A rule whose record is no longer there " +
    "as a whole is skipped. With `report_only` (the default) nothing is written, and later rules are judged as if " +
    "earlier decisions had been carried out. Without it the call answers at once with a `run_id`, and the run decides " +
    "rule by rule: an accepted rule stays as it is, an edited one is replaced by its narrower successor, a rejected " +
    `one is archived. A rule that stops being current stops the run; what was decided before stays. ${RUNS_PATH} ` +
    "shows how a run stands.",
  scope: "write",
  limit: "generate",
  body: ordered(
    z.object({
      start_time: instantMs,
      end_time: instantMs,
      top_k: z.int().min(1).max(MAX_RULES).nullish(),
      report_only: z
        .boolean()
        .nullish()
        .describe("`true`, the default, writes nothing; `false` carries the decisions out."),
    }),
  ),
  example: {
    body: {
      start_time: "2026-01-01T00:00:00Z",
      end_time: "2040-01-01T00:00:00Z",
      top_k: 5,
      report_only: false,
    },
    after: "post /api/add_user_playbook",
    yields: { review_run_id: { pointer: "/run_id", sample: "playbook_review_n2k5qx7c3w4ha6tzr2yvm5j3pe" } },
  },
  response: answerSchema,
  handler(scope, { body }) {
    const selection = {
      startSec: Math.floor(body.start_time / 1000),
      endSec: Math.floor(body.end_time / 1000),
      topK: body.top_k ?? 10,
    };
    return (body.report_only ?? true) ? report(scope, selection) : apply(scope, selection);
  },
});

const runSchema = z.object({
  run_id: z.string(),
  state: z.enum(runStates),
  ...countsShape,
  /** Why it stopped before its end. */
  error: z.enum(stopCodes).nullable(),
  msg: z.string().nullable(),
  started_at: z.int(),
  finished_at: z.int().nullable(),
});

const runView = (run: ReviewRun): z.input<typeof runSchema> => ({
  run_id: run.runId,
  state: run.state,
  ...countsView(run, run.selected),
  error: run.error,
  msg:
    run.error === null
      ? null
      : `${stopWords[run.error]} ${run.position} of ${run.selected} rules were decided; that stays.`,
  started_at: run.startedAt,
  finished_at: run.finishedAt,
});

const itemView = ({ userPlaybookId, decision, reasonCode, successorId }: ReviewItem) => ({
  user_playbook_id: userPlaybookId,
  decision,
  reason_code: reasonCode,
  applied: decision !== null && decision !== "skip",
  successor_user_playbook_id: successorId,
});

const runsRoute = defineRoute({
  dialect: "own",
  method: "get",
  path: RUNS_PATH,
  tag: "User playbooks",
  summary: "Reviews that were applied, newest first",
  description: "An org keeps its newest twenty.",
  scope: "read",
  limit: "read",
  example: { after: "post /api/review_user_playbooks" },
  response: z.object({ runs: z.array(runSchema) }),
  async handler({ db, orgId }) {
    return { runs: (await recentRuns(db, orgId, 50)).map(runView) };
  },
});

const runRoute = defineRoute({
  dialect: "own",
  method: "get",
  path: `${RUNS_PATH}/{run_id}`,
  tag: "User playbooks",
  summary: "How an applied review stands, rule by rule",
  description: "A rule that is not decided yet has no decision.",
  scope: "read",
  limit: "read",
  params: z.object({
    run_id: z.string().min(1).max(100).describe("Id of the run, as the call that began it gave it."),
  }),
  example: { params: { run_id: "{{review_run_id}}" } },
  response: runSchema.extend({
    results: z.array(
      z.object({
        user_playbook_id: z.int(),
        decision: z.enum(decisions).nullable(),
        reason_code: z.enum(storedReasonCodes).nullable(),
        applied: z.boolean(),
        successor_user_playbook_id: z.int().nullable(),
      }),
    ),
  }),
  otherAnswers: { 404: "There is no such review." },
  async handler({ db, orgId }, { params }) {
    const run = await findRun(db, orgId, params.run_id);
    if (run === null) throw new Failure("not_found", "There is no such review.");
    const items = await listItems(db, run, 0, MAX_RULES);
    return { ...runView(run), results: items.map(itemView) };
  },
});

export const storedReviewRoutes: Route[] = [review, runsRoute, runRoute];
