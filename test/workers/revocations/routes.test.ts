/** The routes of revocations: who may call them, what is refused, and what they answer. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createApp } from "../../../src/http/app";
import { revocationRoutes } from "../../../src/revocations/routes";
import { learningServices } from "../learning/support";
import { seedAgents, seedUsers } from "./support";

const ORG = "self-host-org";
const { services } = learningServices();
const app = createApp<Env>(revocationRoutes, () => ({ services: () => services, limits: {} }));

async function call(method: string, path: string, body?: unknown, role = "reviewer", more: HeadersInit = {}) {
  const response = await app.request(
    `http://localhost${path}`,
    {
      method,
      headers: { "x-playmaker-principal": `rita; ${role}`, ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
    env,
    { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
  );
  const answer = await response.json<Record<string, unknown>>();
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    headers: response.headers,
    answer,
  };
}

const user = (user_id: string) => ({ kind: "user", user_id });

describe("every route", () => {
  it.each([
    ["POST", "/api/revocations/preview", user("x")],
    ["POST", "/api/revocations", { ...user("x"), reason: "r", token: "t" }],
    ["GET", "/api/revocations", undefined],
    ["GET", "/api/revocations/rev_1", undefined],
    ["POST", "/api/revocations/rev_1/lift", {}],
    ["POST", "/api/user_playbooks/1/review", { decision: "keep" }],
  ])("needs the scope review: %s %s", async (method, path, body) => {
    for (const role of ["agent", "editor"]) {
      expect(await call(method, path, body, role)).toMatchObject({ status: 403 });
    }
  });
});

describe("a body", () => {
  const order = { reason: "poisoned", token: "list_1" };
  it.each([
    ["no kind", "/preview", { user_id: "x" }, "/kind"],
    ["an unknown kind", "/preview", { kind: "session", user_id: "x" }, "/kind"],
    ["a blank user", "/preview", user("  "), "/user_id"],
    ["no turns", "/preview", { kind: "interaction", user_id: "x", interaction_ids: [] }, "/interaction_ids"],
    [
      "a turn that is no id",
      "/preview",
      { kind: "interaction", user_id: "x", interaction_ids: [1, "2"] },
      "/interaction_ids/1",
    ],
    [
      "more than 1,000 turns",
      "/preview",
      {
        kind: "interaction",
        user_id: "x",
        interaction_ids: Array.from({ length: 1_001 }, (_, at) => at + 1),
      },
      "/interaction_ids",
    ],
    ["turns of a whole user", "/preview", { ...user("x"), interaction_ids: [1] }, "/interaction_ids"],
    ["no reason", "", { ...user("x"), token: "t" }, "/reason"],
    ["a reason of nothing visible", "", { ...user("x"), ...order, reason: " \u0007\u202e\n" }, "/reason"],
    ["a reason of 1,001 characters", "", { ...user("x"), ...order, reason: "a".repeat(1_001) }, "/reason"],
    ["no token", "", { ...user("x"), reason: "r" }, "/token"],
  ])("with %s is refused by JSON pointer", async (_what, path, body, pointer) => {
    const { status, answer } = await call("POST", `/api/revocations${path}`, body);
    expect(status).toBe(422);
    expect(answer.errors).toContainEqual(expect.objectContaining({ pointer }));
    expect(JSON.stringify(answer.errors)).toContain('"expected":"');
  });

  it.each([
    ["/api/user_playbooks/none/review", { decision: "keep" }, "/path/id"],
    ["/api/user_playbooks/1/review", { decision: "approve" }, "/decision"],
    ["/api/user_playbooks/1/review", { decision: "keep", version: "1" }, "/version"],
  ])("of a review is held to its schema: %s %j", async (path, body, pointer) => {
    const { status, answer } = await call("POST", path, body);
    expect(status).toBe(422);
    expect(answer.errors).toContainEqual(expect.objectContaining({ pointer }));
  });
});

describe("a revocation over HTTP", () => {
  it("is looked at, done, listed, lifted, and its rules are decided", async () => {
    await seedUsers(
      ORG,
      { userPlaybookId: 901, userId: "eve", content: "x".repeat(400) },
      { userPlaybookId: 902, userId: "eve", status: "archived", trigger: null },
      { userPlaybookId: 903, userId: "ada" },
    );
    await seedAgents(ORG, { agentPlaybookId: 901, sources: [901, 903] });
    const preview = await call("POST", "/api/revocations/preview", user("eve"));
    expect(preview).toMatchObject({ status: 200 });
    expect(preview.answer).toMatchObject({
      turns: 0,
      windows: 0,
      user_playbooks: [
        { user_playbook_id: 901, content: "x".repeat(300), status: null },
        { user_playbook_id: 902, status: "archived", trigger: null },
      ],
      agent_playbooks: [
        { agent_playbook_id: 901, playbook_status: "approved", remaining_sources: 1, remaining_users: 1 },
      ],
      totals: { user_playbooks: 2, agent_playbooks: 1 },
      in_force: [],
    });
    const { token } = preview.answer;

    const stale = await call("POST", "/api/revocations", { ...user("eve"), reason: "r", token: "list_x" });
    expect(stale).toMatchObject({ status: 409, type: "application/problem+json" });
    expect(stale.answer).toMatchObject({
      title: "conflict",
      totals: { user_playbooks: 2, agent_playbooks: 1 },
      errors: [{ pointer: "/token" }],
    });

    const order = { ...user("eve"), reason: "  an attacker\u202e\n(seen twice) ", token };
    const done = await call("POST", "/api/revocations", order);
    expect(done).toMatchObject({
      status: 200,
      answer: {
        kind: "user",
        user_id: "eve",
        interaction_ids: null,
        reason: "an attacker \n(seen twice)",
        principal_id: "rita",
        state: "done",
        touched: { turns: 0, windows: 0, user_playbooks: 2, agent_playbooks: 1 },
      },
    });
    expect((await call("POST", "/api/revocations", order)).answer).toEqual(done.answer);
    const { revocation_id } = done.answer;
    expect((await call("GET", `/api/revocations/${revocation_id}`)).answer).toEqual(done.answer);

    const lifted = await call("POST", `/api/revocations/${revocation_id}/lift`);
    expect(lifted.answer).toMatchObject({
      state: "lifted",
      message: expect.stringContaining("stay in review"),
    });

    const kept = await call("POST", "/api/user_playbooks/901/review", { decision: "keep" });
    expect(kept).toMatchObject({ status: 200, answer: { user_playbook_id: 901, status: null } });
    expect(kept.headers.get("etag")).toBe(`"${kept.answer.version}"`);
    const overtaken = await call(
      "POST",
      "/api/user_playbooks/901/review",
      { decision: "archive" },
      "reviewer",
      {
        "if-match": '"1"',
      },
    );
    expect(overtaken.status).toBe(412);
  });

  it("names the same turns in any order and however often as one target", async () => {
    await seedUsers(ORG, { userPlaybookId: 911, userId: "ivy", sourceInteractionIds: [7, 9] });
    const tokens = await Promise.all(
      [
        [9, 7],
        [7, 9, 7],
      ].map(
        async (interaction_ids) =>
          (
            await call("POST", "/api/revocations/preview", {
              kind: "interaction",
              user_id: "ivy",
              interaction_ids,
            })
          ).answer.token,
      ),
    );
    expect(tokens[0]).toBe(tokens[1]);
  });

  it("is listed newest first, page by page", async () => {
    const made: unknown[] = [];
    for (const name of ["list-1", "list-2", "list-3"]) {
      const { answer } = await call("POST", "/api/revocations/preview", user(name));
      const order = { ...user(name), reason: "r", token: answer.token };
      made.unshift((await call("POST", "/api/revocations", order)).answer.revocation_id);
    }
    const listed: unknown[] = [];
    let before = "";
    for (let page = 0; page < 10; page += 1) {
      const { answer } = await call("GET", `/api/revocations?limit=2${before}`);
      const rows = answer.revocations as { revocation_id: string }[];
      if (rows.length === 0) break;
      listed.push(...rows.map(({ revocation_id }) => revocation_id));
      before = `&before=${rows.at(-1)?.revocation_id}`;
    }
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining(made));
  });
});
