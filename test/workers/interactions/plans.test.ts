/** No statement of this feature reads a whole org where an index leads to what it wants. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { nextWindow } from "../../../src/interactions/next-window";
import { loadTurns } from "../../../src/interactions/store";
import { countLearned } from "../../../src/interactions/stream-store";
import { call, idsOf, ORG, publishCall, turns, world } from "./support";

/** Steps that walk tables of any size by the org alone. */
const WHOLE_ORG =
  /(?:SCAN (?:interactions|requests|windows|cursors|configs|[rniwc])\b(?! VIRTUAL)|USING (?:PRIMARY KEY|(?:COVERING )?INDEX \w+) \(org_id=\?\))/;

test("every statement finds its rows by more than the org", async () => {
  const seen = new Map<string, Statement>();
  const spy = new (class extends Database {
    override batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
      for (const statement of args[0]) seen.set(statement.text, statement);
      return super.batch(...args);
    }
  })(env.DB);
  const services = world({ database: () => spy });
  await publishCall(services, "ann", turns(30), { request_id: "ann-1" });
  await publishCall(services, "ann", turns(3), { request_id: "ann-1" });
  await publishCall(services, "ann", turns(1), { request_id: "ann-2" });
  await call(services, "GET", "/api/learning_status?request_id=ann-1");
  await call(services, "POST", "/api/get_interactions", { user_id: "ann" });
  await call(services, "POST", "/api/get_requests", { session_id: "session of ann" });
  const ids = await idsOf(services.db, "ann");
  await nextWindow(spy, ORG, "ann", "playbook");
  await loadTurns(spy, ORG, "ann", ids);
  await countLearned(spy, ORG, { userId: "ann", minSeq: 1, maxSeq: 9 }, "playbook");
  await call(services, "DELETE", "/api/delete_interaction", { user_id: "ann", interaction_id: ids[0] });
  await call(services, "DELETE", "/api/delete_request", { request_id: "ann-2" });
  await call(services, "DELETE", "/api/delete_session", { session_id: "session of ann" });

  const statements = [...seen.values()].filter(
    // An org has one row of settings.
    ({ text }) => !text.startsWith("INSERT INTO guard") && !text.includes("FROM org_settings"),
  );
  const plans = await services.db.batch(
    statements.map(({ text, params }) => ({ text: `EXPLAIN QUERY PLAN ${text}`, params })),
  );
  expect(statements.length).toBeGreaterThan(15);
  const whole = statements.flatMap(({ text }, at) => {
    const steps = (plans[at]?.rows ?? []).map((row) => String(Object(row).detail));
    // The newest requests of an org are read from their end, as far as a page reaches.
    const isPage = text.includes("NOT EXISTS (SELECT 1 FROM requests n");
    const bad = steps.filter(
      (step) => WHOLE_ORG.test(step) && !(isPage && step.startsWith("SEARCH r USING PRIMARY KEY")),
    );
    return bad.map((step) => `${step} in ${text.slice(0, 200)}`);
  });
  expect(whole).toEqual([]);
});
