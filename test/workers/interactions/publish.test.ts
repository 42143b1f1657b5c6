/** Publishing: stored once, whatever is repeated, refused or lost. */

import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { Database } from "../../../src/db/client";
import { sql } from "../../../src/db/sql";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import { loadTurns } from "../../../src/interactions/store";
import { parseConfig } from "../../../src/orgs/config";
import { forgetConfig, loadConfig, useConfig } from "../../../src/orgs/config-store";
import { orgToken, wordQuery } from "../../../src/search/words";
import { call, idsOf, ORG, publishCall, rows, turns, type World, world } from "./support";

const requestRows = (services: World, requestId: string) =>
  rows(services.db, sql`SELECT * FROM requests WHERE org_id = ${ORG} AND request_id = ${requestId}`);

async function found(services: World, query: string): Promise<string[]> {
  const match = wordQuery(query, orgToken(ORG));
  const hits = await rows(
    services.db,
    sql`SELECT i.user_id FROM interactions_fts f JOIN interactions i ON i.row = f.rowid
        WHERE interactions_fts MATCH ${match}`,
  );
  return hits.map((row) => String(row.user_id));
}

/** A database whose next batches fail, before or after they took effect. */
class FailingDatabase extends Database {
  failures: ("before" | "after")[] = [];
  override async batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
    const writes = args[0].some(({ text }) => text.includes("INSERT INTO requests"));
    const failure = writes ? this.failures.shift() : undefined;
    if (failure === "before") throw new Error("network lost");
    const results = await super.batch(...args);
    if (failure === "after") throw new Error("network lost");
    return results;
  }
}

describe("a publish call", () => {
  test("answers after the write, and its turns have consecutive ids in arrival order", async () => {
    const services = world();
    const { status, body } = await publishCall(services, "ada", turns(3), { request_id: "ada-1" });
    expect([status, body.success, body.request_id, body.warnings]).toEqual([200, true, "ada-1", []]);
    const [request] = await requestRows(services, "ada-1");
    const ids = await idsOf(services.db, "ada");
    expect(ids).toEqual([ids[0], Number(ids[0]) + 1, Number(ids[0]) + 2]);
    expect([request?.min_seq, request?.max_seq]).toEqual([ids[0], ids[2]]);
    expect([request?.playbook_eligible, request?.agent_version]).toEqual([1, "agent-v0"]);
    const stored = await loadTurns(services.db, ORG, "ada", ids);
    expect(stored.map(({ content }) => content)).toEqual([
      "Keep it short 0",
      "Keep it short 1",
      "Keep it short 2",
    ]);
    expect(stored[0]?.createdAt).toBe(1_700_000_000);
  });

  test("writes at most six rows and three per turn, and sends one message", async () => {
    const services = world();
    await loadConfig(services.db, ORG);
    const counting = new (class extends Database {
      written = 0;
      override async batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
        const results = await super.batch(...args);
        this.written += results.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
        return results;
      }
    })(env.DB);
    const counted = world({ database: () => counting });
    for (const count of [1, 40]) {
      counting.written = 0;
      counted.sent.length = 0;
      await publishCall(counted, `counted ${count}`, turns(count));
      expect(counting.written).toBeLessThanOrEqual(6 + 3 * count);
      expect(counting.written).toBeGreaterThanOrEqual(2 + 2 * count);
      expect(counted.sent).toHaveLength(1);
    }
  });

  test("sends nothing when nothing of it can be learned from", async () => {
    const services = world();
    await publishCall(services, "evaluated", turns(12), { evaluation_only: true });
    expect(services.sent).toEqual([]);
    const left = await rows(
      services.db,
      sql`SELECT id FROM outbox WHERE key = ${JSON.stringify(["evaluated"])}`,
    );
    expect(left).toEqual([]);
  });

  test("leaves its work in the outbox when the message cannot be sent", async () => {
    const services = world({ send: () => Promise.reject(new Error("queue lost")) });
    const { status } = await publishCall(services, "unsent", turns(1));
    expect(status).toBe(200);
    const [work] = await rows(
      services.db,
      sql`SELECT topic FROM outbox WHERE key = ${JSON.stringify(["unsent"])}`,
    );
    expect(work?.topic).toBe("extraction");
  });

  test("is found by its words, in its org alone", async () => {
    const services = world();
    await publishCall(services, "worded", [{ content: "Deployments of the multi-agent GB/s cluster 部署" }]);
    for (const query of ["deploying", "multi-agent", "GB/s", "部署"]) {
      expect(await found(services, query)).toContain("worded");
    }
    expect(wordQuery("deploying", orgToken("other"))).not.toBe(wordQuery("deploying", orgToken(ORG)));
  });

  test("stores turns of every size, from one character to the limit", async () => {
    const services = world();
    const contents = [
      "x",
      "\u0001".repeat(90_000),
      "\u0001".repeat(500_000),
      "a b ".repeat(250_000),
      "界".repeat(499_000),
    ];
    const list = contents.map((content) => ({ content }));
    expect((await publishCall(services, "large", list)).status).toBe(200);
    const stored = await loadTurns(services.db, ORG, "large", await idsOf(services.db, "large"));
    expect(stored.map(({ content }) => content)).toEqual(contents);
  });

  test("stores 1,000 turns in order", async () => {
    const services = world();
    expect((await publishCall(services, "many", turns(1_000))).status).toBe(200);
    const ids = await idsOf(services.db, "many");
    const stored = await loadTurns(services.db, ORG, "many", ids);
    expect(stored.map(({ content }) => content)).toEqual(
      Array.from({ length: 1_000 }, (_, at) => `Keep it short ${at}`),
    );
  });

  test("keeps tool data and drops what is unknown", async () => {
    const services = world();
    const tool = { tool_name: "find", tool_data: { b: null, a: [1, { c: "d" }] }, status: "ok", x: 1 };
    const { body } = await publishCall(services, "tooled", [{ content: "hi", tools_used: [tool] }]);
    expect(body.warnings).toEqual(["interaction_data_list[0].tools_used[0]: unknown keys ignored: x"]);
    const [turn] = await loadTurns(services.db, ORG, "tooled", await idsOf(services.db, "tooled"));
    expect(turn?.details.tools_used).toEqual([
      { tool_name: "find", tool_data: { a: [1, { c: "d" }], b: null }, status: "ok" },
    ]);
  });

  test("takes the publisher's times for nothing: the server's clock orders turns", async () => {
    const services = world();
    await publishCall(services, "timed", [{ content: "hi", created_at: 9_999_999_999 }]);
    const [turn] = await loadTurns(services.db, ORG, "timed", await idsOf(services.db, "timed"));
    expect(turn?.createdAt).toBe(1_700_000_000);
  });
});

describe("trap 8: a repeated request id", () => {
  test("gets the same answer and stores nothing twice", async () => {
    const services = world();
    const send = () => publishCall(services, "bo", [{}, ...turns(2)], { request_id: "bo-1", colour: 1 });
    const first = await send();
    services.nowMs += 60_000;
    expect(await send()).toEqual(first);
    expect(await idsOf(services.db, "bo")).toHaveLength(2);
    expect(services.sent).toHaveLength(1);
  });

  test("with another body is a conflict that says what differs", async () => {
    const services = world();
    await publishCall(services, "cy", turns(2), { request_id: "cy-1" });
    const { status, body } = await publishCall(services, "cy", turns(3), {
      request_id: "cy-1",
      source: "mail",
    });
    expect(status).toBe(409);
    expect(body.detail).toMatchObject([{ pointer: "/source" }, { pointer: "/interaction_data_list" }]);
    const sameShape = await publishCall(services, "cy", turns(2, "Other words"), { request_id: "cy-1" });
    expect(sameShape.body.detail).toMatchObject([{ pointer: "/interaction_data_list" }]);
    const override = { request_id: "cy-1", override_learning_stall: true };
    const overridden = await publishCall(services, "cy", turns(2), override);
    expect(overridden.body.detail).toMatchObject([{ pointer: "/override_learning_stall" }]);
    expect(await idsOf(services.db, "cy")).toHaveLength(2);
  });

  test("sent twenty times at once is stored once, and every caller is told so", async () => {
    const services = world();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => publishCall(services, "dee", turns(4), { request_id: "dee-1" })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await idsOf(services.db, "dee")).toHaveLength(4);
    expect(services.sent).toHaveLength(1);
  });

  test("twenty different requests at once get ids in commit order, without gaps or doubles", async () => {
    const services = world();
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => publishCall(services, "eve", turns(2 + (at % 3)))),
    );
    const stored = await rows(
      services.db,
      sql`SELECT min_seq, max_seq FROM requests WHERE org_id = ${ORG} AND user_id = 'eve' ORDER BY max_seq`,
    );
    expect(stored).toHaveLength(20);
    stored.slice(1).forEach((row, at) => {
      expect(Number(row.min_seq)).toBe(Number(stored[at]?.max_seq) + 1);
    });
  });

  test.each([
    ["once before", ["before"]],
    ["once after", ["after"]],
    ["before, then after", ["before", "after"]],
  ] as const)("survives a write that is lost %s it took effect", async (name, failures) => {
    const db = new FailingDatabase(env.DB);
    db.failures = [...failures];
    const services = world({ database: () => db });
    const userId = `lost ${name}`;
    const { status, body } = await publishCall(services, userId, turns(2));
    expect([status, body.success]).toEqual([200, true]);
    expect(await idsOf(services.db, userId)).toHaveLength(2);
    expect(services.sent).toHaveLength(1);
  });

  test("a write that stays unconfirmed is a 503 that names the id to come back with", async () => {
    const db = new FailingDatabase(env.DB);
    db.failures = ["before", "before"];
    const services = world({ database: () => db });
    const { status, body } = await publishCall(services, "gone", turns(2));
    expect(status).toBe(503);
    const requestId = /request_id (\S+)\.$/.exec(String(body.detail))?.[1];
    expect(requestId).toMatch(/^req_/);
    expect(await idsOf(services.db, "gone")).toEqual([]);
    expect((await publishCall(services, "gone", turns(2), { request_id: requestId })).status).toBe(200);
    expect(await idsOf(services.db, "gone")).toHaveLength(2);
  });

  test("is an org's own: another org's request of that id is not seen", async () => {
    const services = world();
    const body = {
      user_id: "u",
      session_id: "s",
      request_id: "shared-id",
      interaction_data_list: [{ content: "hi" }],
    };
    await publish(services, "org-a", publishBodySchema.parse(body));
    const other = await publish(services, "org-b", publishBodySchema.parse({ ...body, source: "x" }));
    expect(other.isNew).toBe(true);
  });
});

describe("hostile bodies", () => {
  test.each([
    ["text that is no JSON", "{", 422],
    ["a body that is no object", "[]", 422],
    ["brackets without end", "[".repeat(200_000), 422],
    ["nesting without end", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, 422],
    [
      "a turn whose escapes swell above its limit",
      { content: "x", shadow_content: "\u0001".repeat(300_000) },
      422,
    ],
    ["a turn above its limit", { content: "x", shadow_content: "界".repeat(600_000) }, 422],
    ["more than 8 MiB", { content: "y".repeat(9_000_000) }, 413],
  ])("%s is refused and stores nothing", async (_name, input, status) => {
    const services = world();
    const before = await rows(services.db, sql`SELECT count(*) AS n FROM requests`);
    const body =
      typeof input === "string"
        ? input
        : { user_id: "mallory", session_id: "s", interaction_data_list: [input] };
    expect((await call(services, "POST", "/api/publish_interaction", body)).status).toBe(status);
    expect(await rows(services.db, sql`SELECT count(*) AS n FROM requests`)).toEqual(before);
    expect(services.sent).toEqual([]);
  });

  test("lone surrogates and NULs are made harmless, in texts and keys", async () => {
    const services = world();
    const raw = `{"user_id":"nul","session_id":"s","interaction_data_list":[{"content":"a\\u0000b \\ud800 c",
      "tools_used":[{"tool_name":"t","tool_data":{"k\\u0000":"\\udfff"}}]}]}`;
    expect((await call(services, "POST", "/api/publish_interaction", raw)).status).toBe(200);
    const [turn] = await loadTurns(services.db, ORG, "nul", await idsOf(services.db, "nul"));
    expect(turn?.content).toBe("ab \ufffd c");
    expect(turn?.details.tools_used[0]?.tool_data).toEqual({ k: "\ufffd" });
  });

  test("names that mean something to JavaScript or SQL are only names", async () => {
    const services = world();
    const name = "__proto__'; DROP TABLE requests; --";
    const { status } = await publishCall(services, name, [{ content: "x", constructor: 1, toString: 2 }], {
      request_id: name,
    });
    expect(status).toBe(200);
    expect(await requestRows(services, name)).toHaveLength(1);
  });
});

describe("trap 4: admission is frozen", () => {
  test("a request keeps the config and eligibility it was published under", async () => {
    const services = world();
    await publishCall(services, "frozen", turns(1), { request_id: "frozen-1" });
    const { statements } = await useConfig(
      ORG,
      parseConfig({
        user_playbook_extractor_config: {
          extraction_definition_prompt: "p",
          request_sources_enabled: ["web"],
        },
      }),
      1,
    );
    await services.db.batch(statements);
    forgetConfig(ORG);
    await publishCall(services, "frozen", turns(1), { request_id: "frozen-2" });
    await publishCall(services, "frozen", turns(1), { request_id: "frozen-3", source: "web" });
    const stored = await rows(
      services.db,
      sql`SELECT playbook_eligible, config_hash FROM requests WHERE org_id = ${ORG} AND user_id = 'frozen'
          ORDER BY max_seq`,
    );
    expect(stored.map((row) => row.playbook_eligible)).toEqual([1, 0, 1]);
    expect(stored[1]?.config_hash).toBe(stored[2]?.config_hash);
    expect(stored[0]?.config_hash).not.toBe(stored[1]?.config_hash);
  });
});
