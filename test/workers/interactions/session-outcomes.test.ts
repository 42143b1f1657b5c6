/** How sessions ended: the first word counts, and it goes with its session. */
import { describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import { listOutcomes, outcomesByDay } from "../../../src/interactions/session-outcomes-store";
import { call, ORG, publishCall, rows, turns, type World, world } from "./support";

let users = 0;

/** A published session of a user of its own. */
async function session(source = "shop") {
  users += 1;
  const services = world();
  const userId = `outcome-user-${users}`;
  const sessionId = `outcome-session-${users}`;
  await publishCall(services, userId, turns(2), {
    session_id: sessionId,
    source,
    request_id: `outcome-${users}`,
  });
  return { services, userId, sessionId, nowSec: services.nowMs / 1000, requestId: `outcome-${users}` };
}

const report = (services: World, body: object) => call(services, "POST", "/api/session_outcome", body);
const list = async (services: World, body: object) =>
  (await call(services, "POST", "/api/get_session_outcomes", body)).body.session_outcomes;

describe("the outcome of a session", () => {
  it("is stored with its session's user and source, and read back as it was given", async () => {
    const { services, userId, sessionId, nowSec } = await session();
    const outcome = {
      ...{ session_id: sessionId, outcome: "success", occurred_at: nowSec, label: " merged ", value: 0.5 },
      metadata: { b: null, a: [1, { c: "x" }] },
    };
    expect(await report(services, outcome)).toMatchObject({
      status: 200,
      body: { success: true, recorded: true, user_id: userId, source: "shop" },
    });
    expect(await list(services, { session_ids: [sessionId] })).toEqual([
      { ...outcome, label: "merged", user_id: userId, source: "shop", created_at: nowSec },
    ]);
  });

  it("given again is no error, in whatever order its metadata comes", async () => {
    const { services, sessionId, nowSec } = await session();
    const outcome = { session_id: sessionId, outcome: "unknown", occurred_at: nowSec };
    await report(services, { ...outcome, metadata: { a: 1, b: 2 } });
    services.nowMs += 60_000;
    expect((await report(services, { ...outcome, metadata: { b: 2, a: 1 } })).body).toMatchObject({
      ...{ success: true, recorded: false },
    });
    expect(await list(services, { session_ids: [sessionId] })).toMatchObject([{ created_at: nowSec }]);
  });

  it.each([
    ["outcome", { outcome: "failure" }],
    ["occurred_at", { occurred_at: 1_700_000_001 }],
    ["label", { label: "x" }],
    ["value", { value: 1 }],
    ["metadata", { metadata: {} }],
  ])("is never replaced by one with another %s", async (_, other) => {
    const { services, sessionId, nowSec } = await session();
    const outcome = { session_id: sessionId, outcome: "success", occurred_at: nowSec };
    await report(services, outcome);
    expect((await report(services, { ...outcome, ...other })).body).toMatchObject({
      ...{ success: false, recorded: false, reason: "conflicting_finalization" },
    });
    const [stored] = await listOutcomes(services.db, ORG, { sessionIds: [sessionId], limit: 9, offset: 0 });
    expect(stored).toMatchObject({ outcome: "success", label: null, value: null, metadata: null });
  });

  it("of two at once is stored once", async () => {
    const { services, sessionId, nowSec } = await session();
    const outcome = { session_id: sessionId, outcome: "success", occurred_at: nowSec };
    const answers = await Promise.all([
      report(services, outcome),
      report(services, outcome),
      report(services, { ...outcome, outcome: "failure" }),
    ]);
    expect(answers.filter(({ body }) => body.recorded === true)).toHaveLength(1);
    expect(await list(services, { session_ids: [sessionId] })).toHaveLength(1);
  });

  it("trap 69: is refused with 200 and a reason for a session that nobody published, or an instant that cannot be", async () => {
    const { services, sessionId, nowSec } = await session();
    const reasonOf = async (wrong: object) => {
      const outcome = { session_id: sessionId, outcome: "success", occurred_at: nowSec, ...wrong };
      const { status, body } = await report(services, outcome);
      expect([status, body.success]).toEqual([200, body.reason === undefined]);
      return body.reason;
    };
    expect(await reasonOf({ session_id: "nobody's" })).toBe("unknown_session");
    expect(await reasonOf({ occurred_at: nowSec + 301 })).toBe("occurred_in_future");
    // Milliseconds where seconds are meant.
    expect(await reasonOf({ occurred_at: nowSec * 1000 })).toBe("occurred_in_future");
    expect(await reasonOf({ occurred_at: nowSec - 301 })).toBe("occurred_before_session");
    expect(await list(services, { session_ids: [sessionId] })).toEqual([]);
    expect(await reasonOf({ occurred_at: nowSec - 300 })).toBeUndefined();
  });

  it.each([
    ["/outcome", { outcome: "great" }],
    ["/occurred_at", { occurred_at: -1 }],
    ["/label", { label: "  " }],
    ["/label", { label: "x".repeat(129) }],
    ["/metadata", { metadata: { text: "ä".repeat(8_192) } }],
    ["/metadata", { metadata: [] }],
    ["/session_id", { session_id: " " }],
  ])("is refused over %s", async (pointer, wrong) => {
    const { services, sessionId, nowSec } = await session();
    const body = { session_id: sessionId, outcome: "success", occurred_at: nowSec, ...wrong };
    expect(await report(services, body)).toMatchObject({ status: 422, body: { detail: [{ pointer }] } });
  });

  it("goes with its user's session, and not with somebody else's of that name", async () => {
    const { services, sessionId, nowSec, requestId } = await session();
    await publishCall(services, "somebody else", turns(1), {
      session_id: sessionId,
      request_id: `${requestId}-2`,
    });
    await report(services, { session_id: sessionId, outcome: "success", occurred_at: nowSec });
    await call(services, "DELETE", "/api/delete_request", { request_id: `${requestId}-2` });
    expect(await list(services, { session_ids: [sessionId] })).toHaveLength(1);
    await call(services, "DELETE", "/api/delete_request", { request_id: requestId });
    expect(
      await rows(services.db, sql`SELECT 1 FROM session_outcomes WHERE session_id = ${sessionId}`),
    ).toEqual([]);
  });

  it("of a user who is being erased is neither taken nor shown", async () => {
    const { services, sessionId, nowSec, userId } = await session();
    const outcome = { session_id: sessionId, outcome: "success", occurred_at: nowSec };
    await report(services, outcome);
    await services.db.run(
      sql`INSERT INTO erasures (org_id, user_id, erasure_id, principal_id, counts, begun_at)
          VALUES (${ORG}, ${userId}, ${userId}, 'p', '{}', 1)`,
    );
    expect(await list(services, { session_ids: [sessionId] })).toEqual([]);
    expect((await report(services, outcome)).body).toMatchObject({ reason: "subject_not_writable" });
  });
});

describe("a list of outcomes", () => {
  it("is narrowed by every filter, newest first, page by page", async () => {
    const services = world();
    const [nowSec, source] = [services.nowMs / 1000, "listed"];
    for (const [at, outcome] of (["success", "failure", "success"] as const).entries()) {
      const sessionId = `listed-${at}`;
      await publishCall(services, "lister", turns(1), {
        session_id: sessionId,
        source,
        request_id: sessionId,
      });
      await report(services, {
        ...{ session_id: sessionId, outcome, occurred_at: nowSec + at, label: `label ${at}` },
      });
    }
    const idsOf = async (body: object) => {
      const found = await list(services, { source, ...body });
      return Array.isArray(found) ? found.map((row) => row.session_id) : found;
    };
    expect(await idsOf({})).toEqual(["listed-2", "listed-1", "listed-0"]);
    expect(await idsOf({ outcome: "success" })).toEqual(["listed-2", "listed-0"]);
    expect(await idsOf({ label: "label 1" })).toEqual(["listed-1"]);
    expect(await idsOf({ user_id: "lister", top_k: 1, offset: 1 })).toEqual(["listed-1"]);
    expect(await idsOf({ user_id: "somebody" })).toEqual([]);
    expect(await idsOf({ start_time: nowSec + 1, end_time: nowSec + 1 })).toEqual(["listed-1"]);
    expect(await idsOf({ session_ids: [] })).toEqual([]);
    const backwards = { start_time: 2, end_time: 1 };
    expect((await call(services, "POST", "/api/get_session_outcomes", backwards)).status).toBe(422);
  });

  it("and the counts of days seek in an index", async () => {
    const services = world();
    const [step] = await rows(services.db, sql`EXPLAIN QUERY PLAN ${outcomesByDay(ORG, 1)}`);
    expect(step?.detail).toContain("session_outcomes_recent (org_id=? AND occurred_at>?)");
  });
});
