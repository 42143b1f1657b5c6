/** `POST /api/search/explain` over HTTP: who may ask, what is refused, who is named, and that it agrees with its neighbours. */
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { explainRoute } from "../../../src/search/explain-route";
import { newWorld, seedAgent, seedUser } from "./seed";

const ORG = "self-host-org";
const AGENT = { "x-playmaker-principal": "bot; agent" };
const REVIEWER = { "x-playmaker-principal": "rea; reviewer" };

const rule = z.looseObject({
  ...{ id: z.int(), user_id: z.string().nullable(), returned: z.boolean() },
  why: z.looseObject({ code: z.string() }).nullable(),
  block: z.looseObject({ tag: z.string().nullable() }).nullable(),
});
const answerSchema = z.looseObject({
  user_playbooks: z.array(rule),
  agent_playbooks: z.array(rule),
  context: z
    .looseObject({ block: z.string(), threshold: z.number().nullable(), citations: z.array(z.unknown()) })
    .nullable(),
});

async function post(path: string, body: object, headers: Record<string, string>) {
  const response = await exports.default.fetch(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

const QUERY = { query: "voucher", search_mode: "fts", top_k: 10 };
const explain = async (body: object = {}, headers: Record<string, string> = AGENT) => {
  const { status, json } = await post("/api/search/explain", { ...QUERY, ...body }, headers);
  expect(status).toBe(200);
  return answerSchema.parse(json);
};
const returned = (rules: z.output<typeof rule>[]) =>
  rules.filter((each) => each.returned).map(({ id }) => id);
const servedRows = async () =>
  (await env.DB.prepare("SELECT count(*) AS count FROM served_rules").first<{ count: number }>())?.count;

beforeAll(async () => {
  const world = { ...newWorld(), orgId: ORG };
  await seedUser(
    world,
    { userPlaybookId: 1, content: "confirm the voucher by mail" },
    { userPlaybookId: 2, content: "voucher codes are spelled out", userId: "bob" },
  );
  await seedAgent(
    world,
    { agentPlaybookId: 1, content: "replace a lost voucher once", sources: [1] },
    { agentPlaybookId: 2, content: "voucher idea", playbookStatus: "pending" },
    { agentPlaybookId: 3, content: "voucher mistake", playbookStatus: "rejected" },
  );
  await seedUser({ ...world, orgId: "another org" }, { userPlaybookId: 99, content: "voucher elsewhere" });
});

describe("POST /api/search/explain", () => {
  it("answers as its schema says, field by field", async () => {
    const { json } = await post(
      "/api/search/explain",
      { query: "voucher", agent_version: "v1", user_id: "bob", session_id: "s" },
      AGENT,
    );
    // Unknown keys would be dropped by the parse, so equality proves that there are none.
    expect(explainRoute.response.parse(json)).toEqual(json);
  });

  it("returns what /api/search returns, in its order", async () => {
    for (const more of [
      {},
      { user_id: "bob" },
      { agent_version: "v1", top_k: 1 },
      { search_mode: "hybrid" },
    ]) {
      const found = await explain(more);
      const { json } = await post("/api/search", { ...QUERY, ...more }, AGENT);
      const plain = z
        .object({
          user_playbooks: z.array(z.object({ user_playbook_id: z.int() })),
          agent_playbooks: z.array(z.object({ agent_playbook_id: z.int() })),
        })
        .parse(json);
      expect(returned(found.user_playbooks)).toEqual(plain.user_playbooks.map((row) => row.user_playbook_id));
      expect(returned(found.agent_playbooks)).toEqual(
        plain.agent_playbooks.map((row) => row.agent_playbook_id),
      );
    }
  });

  it("gives the block that /api/context gives but for the nonce of its fence", async () => {
    const body = { query: "lost voucher", agent_version: "v1", user_id: "bob", max_tokens: 1000 };
    for (const format of ["markdown", "xml", "json"]) {
      const { json } = await post("/api/context", { ...body, format }, AGENT);
      const { context, ...rest } = z.looseObject({ context: z.string() }).parse(json);
      const found = (await explain({ ...body, format, top_k: 1 })).context;
      if (found === null) throw new Error("no block");
      const { block, threshold: _, ...same } = found;
      const bare = (text: string) => text.replace(/[a-z2-7]{12}(?=[\n>"]|$)/gm, "NONCE");
      expect(bare(block)).toBe(bare(context));
      expect(block).not.toBe("");
      // The estimate depends on the letters of the nonce.
      expect({ ...same, tokens: 0 }).toEqual({ ...rest, tokens: 0 });
    }
  });

  it("makes no block without an agent version", async () => {
    const found = await explain();
    expect(found.context).toBeNull();
    expect(found.agent_playbooks.map(({ block }) => block)).toEqual([null, null, null]);
  });

  it("says why, with the rule that is to blame", async () => {
    const found = await explain({ agent_version: "v1" });
    const whyOf = (rules: z.output<typeof rule>[], id: number) => rules.find((each) => each.id === id)?.why;
    expect(whyOf(found.user_playbooks, 1)).toEqual({
      code: "source_of_returned_agent_rule",
      rule: { kind: "agent_playbook", id: 1 },
    });
    expect(whyOf(found.agent_playbooks, 3)).toEqual({ code: "not_approved" });
    expect(whyOf(found.agent_playbooks, 2)).toBeNull();
  });

  it("takes one approval or several", async () => {
    expect(returned((await explain({ approvals: "rejected" })).agent_playbooks)).toEqual([3]);
    expect(
      returned((await explain({ approvals: ["rejected", "pending"] })).agent_playbooks).toSorted(),
    ).toEqual([2, 3]);
    expect(returned((await explain({ approvals: [] })).agent_playbooks)).toEqual([]);
  });

  it('names users to the scope "review" only', async () => {
    const users = async (headers: Record<string, string>) =>
      (await explain({}, headers)).user_playbooks.map(({ id, user_id }) => [id, user_id]).toSorted();
    expect(await users(REVIEWER)).toEqual([
      [1, "ann"],
      [2, "bob"],
    ]);
    expect(await users(AGENT)).toEqual([
      [1, null],
      [2, null],
    ]);
    expect(await users({ "x-playmaker-principal": "eve; editor" })).toEqual([
      [1, null],
      [2, null],
    ]);
  });

  it("notes nothing as served, however often it is asked", async () => {
    const before = await servedRows();
    const first = await explain({ session_id: "explained" });
    expect(await explain({ session_id: "explained" })).toEqual(first);
    expect(await servedRows()).toBe(before);
  });

  it("answers a query without any word with empty lists", async () => {
    for (const query of ['"', "*", "(", "NEAR(", "🙂", "\u0000", "\ud800"]) {
      const found = await explain({ query, agent_version: "v1", user_id: "bob", session_id: "s" });
      expect(found).toMatchObject({ user_playbooks: [], agent_playbooks: [], context: { block: "" } });
    }
  });

  it("refuses what breaks a rule and names it by pointer", async () => {
    const faults: [object, string][] = [
      [{ query: "  " }, "/query"],
      [{ query: undefined }, "/query"],
      [{ query: ["voucher"] }, "/query"],
      [{ query: "a".repeat(20_001) }, "/query"],
      [{ agent_version: "" }, "/agent_version"],
      [{ user_id: " " }, "/user_id"],
      [{ session_id: 7 }, "/session_id"],
      [{ top_k: 0 }, "/top_k"],
      [{ top_k: 51 }, "/top_k"],
      [{ top_k: 1.5 }, "/top_k"],
      [{ threshold: 1.01 }, "/threshold"],
      [{ threshold: -0.1 }, "/threshold"],
      [{ search_mode: "magic" }, "/search_mode"],
      [{ approvals: "maybe" }, "/approvals"],
      [{ max_tokens: 0 }, "/max_tokens"],
      [{ max_tokens: 100_001 }, "/max_tokens"],
      [{ format: "yaml" }, "/format"],
    ];
    for (const [body, pointer] of faults) {
      const { status, json } = await post("/api/search/explain", { ...QUERY, ...body }, AGENT);
      expect([status, pointer]).toEqual([422, pointer]);
      expect(json).toMatchObject({ errors: [{ pointer }] });
    }
  });

  it("refuses a key that it does not know", async () => {
    const headers = { authorization: "Bearer not-a-key" };
    expect((await post("/api/search/explain", QUERY, headers)).status).toBe(401);
  });
});
