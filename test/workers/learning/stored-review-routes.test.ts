/** The calls of a review over HTTP: what they refuse, what they leave out, and who may make them. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { createApp } from "../../../src/http/app";
import { finalizedManifest } from "../../../src/learning/stored-review/record-store";
import { storedReviewRoutes } from "../../../src/learning/stored-review/routes";
import {
  findRun,
  listItems,
  recentRuns,
  runningReview,
  selectRules,
} from "../../../src/learning/stored-review/run-store";
import { byBeginning, deliverReview, teach } from "./stored-review-support";
import { learningServices } from "./support";

const ORG = "self-host-org";
const { services } = learningServices({ answers: { reviewStored: byBeginning } });
const app = createApp<object>(storedReviewRoutes, () => ({ services: () => services, limits: {} }));

async function call(method: "GET" | "POST", path: string, body: unknown = undefined, as = "olga; owner") {
  const response = await app.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: { "content-type": "application/json", "x-playmaker-principal": as },
      ...(method === "POST" && { body: JSON.stringify(body) }),
    }),
    {},
    createExecutionContext(),
  );
  const json = z.record(z.string(), z.unknown()).parse(await response.json());
  return { status: response.status, json };
}

const PATH = "/api/review_user_playbooks";
const TIMES = { start_time: "2029-01-01T00:00:00+00:00", end_time: "2031-01-01T00:00:00" };

describe("POST /api/review_user_playbooks", () => {
  it.each([
    ["no beginning", { end_time: TIMES.end_time }, "/start_time"],
    ["an end that is its start", { ...TIMES, end_time: TIMES.start_time }, "/end_time"],
    ["an end before its start", { ...TIMES, end_time: "2020-01-01" }, "/end_time"],
    ["no rules", { ...TIMES, top_k: 0 }, "/top_k"],
    ["too many rules", { ...TIMES, top_k: 101 }, "/top_k"],
    ["half a rule", { ...TIMES, top_k: 1.5 }, "/top_k"],
    ["another mode", { ...TIMES, report_only: "no" }, "/report_only"],
  ])("refuses %s with its place", async (_, body, pointer) => {
    const { status, json } = await call("POST", PATH, body);
    expect({ status, json }).toMatchObject({ status: 422, json: { detail: [{ pointer }] } });
  });

  it("is closed to keys of agents; they may read how runs stand", async () => {
    expect((await call("POST", PATH, TIMES, "bot; agent")).status).toBe(403);
    expect((await call("GET", "/api/review_runs", undefined, "bot; agent")).status).toBe(200);
  });

  it("reports by default, ten rules at most, and leaves out what is null", async () => {
    await teach(services, ORG, [
      "RULE lending keys to visitors | write the visitor into the brass ledger; hum a tune",
    ]);
    const { json } = await call("POST", PATH, TIMES);
    expect(json).toEqual({
      success: true,
      report_only: true,
      selected_count: 1,
      accepted_count: 0,
      edited_count: 1,
      rejected_count: 0,
      skipped_count: 0,
      results: [
        {
          user_playbook_id: expect.any(Number),
          decision: "edit",
          reason_code: "compound",
          reason: "The user said so.",
          edit: {
            content: "write the visitor into the brass ledger",
            trigger: "lending keys to visitors",
            rationale: "said so",
          },
          applied: false,
        },
      ],
    });
  });

  it("applied answers its run and no results; the run shows how it stands and how it ended", async () => {
    const { json } = await call("POST", PATH, { ...TIMES, report_only: false });
    expect(json).toMatchObject({ success: true, report_only: false, selected_count: 1, results: [] });
    const runId = z.string().parse(json.run_id);
    const again = await call("POST", PATH, { ...TIMES, report_only: false });
    expect(again.json).toMatchObject({ success: false, run_id: runId, results: [] });
    expect((await call("GET", `/api/review_runs/${runId}`)).json).toMatchObject({
      state: "running",
      selected_count: 1,
      finished_at: null,
      results: [{ decision: null, applied: false, successor_user_playbook_id: null }],
    });
    await deliverReview(services, ORG);
    expect((await call("GET", `/api/review_runs/${runId}`)).json).toMatchObject({
      state: "done",
      edited_count: 1,
      msg: null,
      results: [
        {
          decision: "edit",
          reason_code: "compound",
          applied: true,
          successor_user_playbook_id: expect.any(Number),
        },
      ],
    });
    expect((await call("GET", "/api/review_runs")).json).toMatchObject({
      runs: [{ run_id: runId, state: "done" }],
    });
  });

  it("of a run that there is not answers 404", async () => {
    expect((await call("GET", "/api/review_runs/playbook_review_none")).status).toBe(404);
  });
});

/** Asks for the plan of what it is given instead of running it. */
class ExplainingDatabase extends Database {
  plan: string[] = [];
  constructor() {
    super(env.DB);
  }
  override async batch(statements: readonly Statement[]) {
    for (const { text, params } of statements) {
      const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
        .bind(...params)
        .all<{ detail: string }>();
      this.plan.push(...results.map((row) => row.detail));
    }
    return [];
  }
}

describe("every read of a review finds its org by an index", () => {
  it.each<[string, (db: Database) => Promise<unknown>, string]>([
    [
      "rules of a time",
      (db) => selectRules(db, ORG, { startSec: 1, endSec: 2, topK: 3 }),
      "user_playbooks_recent (org_id=? AND updated_at_ms>?)",
    ],
    ["a run", (db) => findRun(db, ORG, "r"), "(org_id=? AND run_id=?)"],
    ["the run under way", (db) => runningReview(db, ORG), "review_runs_running (org_id=?)"],
    ["recent runs", (db) => recentRuns(db, ORG, 5), "review_runs_recent (org_id=?)"],
    [
      "rules of a run",
      (db) => listItems(db, { orgId: ORG, runId: "r" }, 0, 5),
      "(org_id=? AND run_id=? AND position>?)",
    ],
    [
      "a window",
      (db) => finalizedManifest(db, { orgId: ORG, userId: "u", windowId: "w" }),
      "(org_id=? AND window_id=?)",
    ],
  ])("%s", async (_, ask, index) => {
    const db = new ExplainingDatabase();
    await ask(db);
    expect(db.plan.join("\n")).toContain(index);
    expect(db.plan.filter((step) => step.startsWith("SCAN") && !step.includes("json_each"))).toEqual([]);
  });
});
