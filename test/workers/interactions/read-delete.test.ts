/** Reading turns and sessions back, and deleting them. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import { deleteRequests } from "../../../src/interactions/delete";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import { listAllInteractions, listInteractions, listSessions } from "../../../src/interactions/read-store";
import { call, idsOf, ORG, publishCall, rows, turns, type World, world } from "./support";

const list = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value : []);

const count = async (services: World, statement: Statement): Promise<number> =>
  Number((await rows(services.db, statement))[0]?.n);

describe("reading turns", () => {
  test("gives a user's newest first, as published, without what is only the server's", async () => {
    const services = world();
    const spoken = {
      content: "Look",
      user_action: "click",
      user_action_description: "opened the menu",
      image_encoding: "iVBORw0KGgo=",
      citations: [{ kind: "profile", real_id: 7, tag: "p1" }],
    };
    await publishCall(services, "ann", [...turns(2), spoken], { request_id: "ann-1" });
    const { body } = await call(services, "POST", "/api/get_interactions", { user_id: "ann", top_k: 2 });
    const [newest, older] = list(body.interactions);
    expect(newest).toMatchObject({
      request_id: "ann-1",
      content: "Look",
      role: "User",
      user_action: "click",
      image: { type: "image/png", bytes: 8 },
      citations: [{ kind: "profile", real_id: "7", tag: "p1", title: "" }],
      tools_used: [],
    });
    expect(Object.keys(newest ?? {})).not.toContain("image_encoding");
    expect(older?.content).toBe("Keep it short 1");
    expect(list(body.interactions)).toHaveLength(2);
  });

  test("holds to times given in ISO form, both ends inclusive", async () => {
    const services = world();
    for (const content of ["first", "second", "third"]) {
      await publishCall(services, "bea", [{ content }]);
      services.nowMs += 3_600_000;
    }
    const ask = async (range: object) =>
      list(
        (await call(services, "POST", "/api/get_interactions", { user_id: "bea", ...range })).body
          .interactions,
      ).map(({ content }) => content);
    expect(await ask({ start_time: "2023-11-14T23:13:20" })).toEqual(["third", "second"]);
    expect(await ask({ start_time: "2023-11-15T00:13:20+01:00", end_time: "2023-11-14T23:13:21Z" })).toEqual([
      "second",
    ]);
    expect(await ask({ end_time: null })).toHaveLength(3);
  });

  test.each([
    [{ user_id: "bea", start_time: "2024-01-02", end_time: "2024-01-02" }, "/end_time"],
    [{ user_id: "bea", start_time: "yesterday" }, "/start_time"],
    [{ user_id: "bea", top_k: 0 }, "/top_k"],
    [{ user_id: "" }, "/user_id"],
  ])("refuses %j by name", async (body, pointer) => {
    const answer = await call(world(), "POST", "/api/get_interactions", body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ pointer }]);
  });

  test("never answers with more bytes than fit, and says so", async () => {
    const services = world();
    const heavy = { content: "界".repeat(480_000) };
    for (let call = 0; call < 3; call += 1) await publishCall(services, "big", new Array(5).fill(heavy));
    const { body } = await call(services, "POST", "/api/get_interactions", { user_id: "big" });
    expect(list(body.interactions)).toHaveLength(11);
    expect(body.msg).toMatch(/time range/);
    const sessions = await call(services, "POST", "/api/get_requests", { user_id: "big" });
    expect(sessions.body).toMatchObject({ success: false, sessions: [], has_more: true });
  });

  test("reads every user's turns from the newest request on, sorting nothing", async () => {
    const services = world();
    await publishCall(services, "cat", turns(2, "older"));
    await publishCall(services, "dan", turns(2, "newer"));
    const { body } = await call(services, "GET", "/api/get_all_interactions?limit=3");
    expect(list(body.interactions).map(({ content }) => content)).toEqual(["newer 1", "newer 0", "older 1"]);
    const seen: Statement[] = [];
    const spy = new (class extends Database {
      override batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
        seen.push(...args[0]);
        return super.batch(...args);
      }
    })(env.DB);
    await listAllInteractions(spy, ORG, 3);
    await listInteractions(spy, ORG, { userId: "cat", limit: 3, startSec: null, endSec: null });
    const plans = await services.db.batch(
      seen.map(({ text, params }) => ({ text: `EXPLAIN QUERY PLAN ${text}`, params })),
    );
    for (const plan of plans) {
      const steps = JSON.stringify(plan.rows);
      expect(steps).not.toMatch(/SCAN (r|i|interactions|requests)\b/);
    }
    expect(JSON.stringify(plans[0]?.rows)).toMatch(/SEARCH r USING PRIMARY KEY/);
  });

  test("a page of sessions reads only what it passes", async () => {
    const services = world();
    for (let at = 0; at < 40; at += 1) {
      await publishCall(services, "reader", turns(1), { session_id: `reading ${at % 20}` });
    }
    const reading = new (class extends Database {
      read = 0;
      override async batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
        const results = await super.batch(...args);
        this.read += results.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
        return results;
      }
    })(env.DB);
    const page = {
      userId: null,
      requestId: null,
      sessionId: null,
      source: null,
      startSec: null,
      endSec: null,
    };
    await listSessions(reading, ORG, { ...page, limit: 2, offset: 0 });
    expect(reading.read).toBeLessThan(40);
  });
});

describe("sessions", () => {
  const ask = async (services: World, filter: object) => {
    const { body } = await call(services, "POST", "/api/get_requests", filter);
    return {
      more: body.has_more,
      sessions: list(body.sessions).map((session) => ({
        id: session.session_id,
        requests: list(session.requests).map((entry) => ({
          id: Object(entry.request).request_id,
          turns: list(entry.interactions).map(({ content }) => content),
        })),
      })),
    };
  };

  test("are complete whatever the page size, newest first, and each on one page only", async () => {
    const services = world();
    const sent = ["s1", "s2", "s1", "s3", "s2", "s1"];
    for (const [at, session_id] of sent.entries()) {
      await publishCall(services, "ed", turns(2, `${at}:`), { session_id, request_id: `ed-${at}` });
    }
    const first = await ask(services, { user_id: "ed", top_k: 2 });
    expect(first.more).toBe(true);
    expect(first.sessions.map(({ id, requests }) => [id, ...requests.map((request) => request.id)])).toEqual([
      ["s1", "ed-0", "ed-2", "ed-5"],
      ["s2", "ed-1", "ed-4"],
    ]);
    expect(first.sessions[0]?.requests[1]?.turns).toEqual(["2: 0", "2: 1"]);
    const second = await ask(services, { user_id: "ed", top_k: 2, offset: 2 });
    expect([second.more, second.sessions.map(({ id }) => id)]).toEqual([false, ["s3"]]);
  });

  test("show what meets the filters, and nothing of other users in a session of the same name", async () => {
    const services = world();
    await publishCall(services, "flo", turns(1), {
      session_id: "shared",
      request_id: "flo-1",
      source: "mail",
    });
    await publishCall(services, "flo", turns(1), {
      session_id: "shared",
      request_id: "flo-2",
      source: "web",
    });
    await publishCall(services, "gil", turns(1), {
      session_id: "shared",
      request_id: "gil-1",
      source: "web",
    });
    const idsFor = async (filter: object) =>
      (await ask(services, filter)).sessions.flatMap(({ requests }) => requests.map(({ id }) => id));
    expect(await idsFor({ session_id: "shared" })).toEqual(["flo-1", "flo-2", "gil-1"]);
    expect(await idsFor({ user_id: "flo" })).toEqual(["flo-1", "flo-2"]);
    expect(await idsFor({ session_id: "shared", source: "web" })).toEqual(["flo-2", "gil-1"]);
    expect(await idsFor({ request_id: "gil-1", user_id: "flo" })).toEqual([]);
  });
});

describe("deleting", () => {
  const wordsLeft = (services: World, userId: string) =>
    count(
      services,
      sql`SELECT count(*) AS n FROM interactions_fts WHERE interactions_fts MATCH ${`search_text : "${userId}"`}`,
    );

  test("one turn takes its words along, is audited, and is said not to be there the second time", async () => {
    const services = world();
    await publishCall(services, "kim", [{ content: "kimword one" }, { content: "kimword two" }]);
    const [id] = await idsOf(services.db, "kim");
    const send = () =>
      call(
        services,
        "DELETE",
        "/api/delete_interaction",
        { user_id: "kim", interaction_id: id },
        {
          "X-Playmaker-Principal": "erin; editor",
        },
      );
    expect((await send()).body).toEqual({ success: true, message: "Deleted 1 turn." });
    expect(await wordsLeft(services, "kimword")).toBe(1);
    expect((await send()).body.success).toBe(false);
    const audits = await rows(
      services.db,
      sql`SELECT principal_id FROM audit WHERE org_id = ${ORG} AND action = 'delete.interaction'
          AND entity_id = ${String(id)}`,
    );
    expect(audits).toEqual([{ principal_id: "erin" }]);
  });

  test("another user's turn, another org's request and what never was answer alike", async () => {
    const services = world();
    await publishCall(services, "lou", turns(1));
    const [id] = await idsOf(services.db, "lou");
    await publish(
      services,
      "other-org",
      publishBodySchema.parse({
        user_id: "lou",
        session_id: "elsewhere",
        request_id: "foreign",
        interaction_data_list: [{ content: "hi" }],
      }),
    );
    const answers = async (path: string, bodies: object[]) =>
      Promise.all(bodies.map((body) => call(services, "DELETE", path, body)));
    for (const [foreign, missing] of [
      await answers("/api/delete_interaction", [
        { user_id: "mia", interaction_id: id },
        { user_id: "mia", interaction_id: 999_999 },
      ]),
      await answers("/api/delete_request", [{ request_id: "foreign" }, { request_id: "never" }]),
      await answers("/api/delete_session", [{ session_id: "elsewhere" }, { session_id: "never" }]),
    ]) {
      expect(foreign).toEqual(missing);
      expect(foreign?.body.success).toBe(false);
    }
    expect(await count(services, sql`SELECT count(*) AS n FROM requests WHERE request_id = 'foreign'`)).toBe(
      1,
    );
  });

  test("a request of 1,000 turns goes in pages, with its turns and words", async () => {
    const services = world();
    await publishCall(services, "ned", turns(1_000, "nedword"), { request_id: "ned-1" });
    const { body } = await call(services, "DELETE", "/api/delete_request", { request_id: "ned-1" });
    expect(body).toEqual({ success: true, message: "Deleted 1 requests with 1000 turns." });
    expect(await idsOf(services.db, "ned")).toEqual([]);
    expect(await wordsLeft(services, "nedword")).toBe(0);
  });

  test("a session and a list of requests count what was really there", async () => {
    const services = world();
    for (const at of [1, 2, 3]) {
      await publishCall(services, "oli", turns(2), { session_id: "oli-s", request_id: `oli-${at}` });
    }
    const byIds = await call(services, "DELETE", "/api/delete_requests_by_ids", {
      request_ids: ["oli-1", "oli-1", "never"],
    });
    expect(byIds.body).toMatchObject({ success: true, deleted_count: 1 });
    const session = await call(services, "DELETE", "/api/delete_session", { session_id: "oli-s" });
    expect(session.body).toMatchObject({ success: true, deleted_requests_count: 2 });
    expect(await idsOf(services.db, "oli")).toEqual([]);
  });

  test("goes on where an interruption stopped it", async () => {
    const services = world();
    await publishCall(services, "pat", turns(700), { request_id: "pat-1" });
    let batches = 0;
    const breaking = new (class extends Database {
      override async batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
        if (args[0].some(({ text }) => text.startsWith("DELETE FROM interactions"))) {
          batches += 1;
          if (batches === 2) throw new Error("lost");
        }
        return super.batch(...args);
      }
    })(env.DB);
    const scope = {
      services,
      principal: { orgId: ORG, id: "p", roles: [], scopes: [] },
      orgId: ORG,
      requestId: "r",
    };
    const target = { kind: "requests", requestIds: ["pat-1"] } as const;
    const entity = { type: "request", id: "pat-1" } as const;
    await expect(deleteRequests({ ...scope, db: breaking }, target, entity)).rejects.toThrow("lost");
    expect(await idsOf(services.db, "pat")).not.toHaveLength(0);
    expect(await deleteRequests({ ...scope, db: services.db }, target, entity)).toMatchObject({
      requests: 1,
    });
    expect(await idsOf(services.db, "pat")).toEqual([]);
  });

  test("everything is everything of this org and nothing of another", async () => {
    const services = world();
    await publishCall(services, "una", turns(3));
    const before = await count(services, sql`SELECT count(*) AS n FROM interactions WHERE org_id = ${ORG}`);
    const { body } = await call(services, "DELETE", "/api/delete_all_interactions");
    expect(body).toMatchObject({ success: true, deleted_count: before });
    expect(await count(services, sql`SELECT count(*) AS n FROM interactions WHERE org_id = ${ORG}`)).toBe(0);
    expect(await count(services, sql`SELECT count(*) AS n FROM requests WHERE org_id = ${ORG}`)).toBe(0);
    expect(
      await count(services, sql`SELECT count(*) AS n FROM interactions WHERE org_id = 'other-org'`),
    ).toBe(1);
  });

  test("needs the scope to write: an agent's key may publish but not delete", async () => {
    const agent = { "X-Playmaker-Principal": "bot; agent" };
    const denied = await call(world(), "DELETE", "/api/delete_all_interactions", undefined, agent);
    expect(denied.status).toBe(403);
  });
});
