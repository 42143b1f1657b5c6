/** Where rules come from: the turns they cite, those that stand in for them, and those that are not shown any more. */
import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { createApp } from "../../../src/http/app";
import { playbookRoutes } from "../../../src/playbooks/routes";
import { insertAgentPlaybook, insertSources, insertUserPlaybooks } from "../../../src/playbooks/store";
import { consumeAll, db, learningServices, rulesOf, say } from "../learning/support";
import { AGENT, SELF_HOST_ORG as ORG } from "./client";
import { agentRule, userRule } from "./rules";

const { services } = learningServices();
const app = createApp<object>(playbookRoutes, () => ({ services: () => services, limits: {} }));

const turns = z.array(z.looseObject({ content: z.string(), user_id: z.string() }));
const answerSchema = z.strictObject({
  success: z.boolean(),
  target_kind: z.string(),
  target_id: z.string(),
  provenance_status: z.string(),
  trigger_request_id: z.string().optional(),
  interactions: turns,
  source_user_playbooks: z.array(
    z.strictObject({
      user_playbook: z.looseObject({ user_playbook_id: z.int() }),
      interactions: turns,
      source_interaction_ids: z.array(z.int()),
    }),
  ),
  msg: z.string().optional(),
});

async function ask(body: unknown) {
  const response = await app.fetch(
    new Request("http://localhost/api/get_learning_provenance", {
      method: "POST",
      headers: { "content-type": "application/json", "x-playmaker-principal": AGENT },
      body: JSON.stringify(body),
    }),
    {},
    createExecutionContext(),
  );
  return { status: response.status, body: await response.json() };
}

const provenance = async (kind: string, id: number | string) =>
  answerSchema.parse((await ask({ kind, id: String(id) })).body);

const said = ({ interactions }: z.infer<typeof answerSchema>) => interactions.map(({ content }) => content);

let users = 0;
/** A user whose one window taught one rule. */
async function learned() {
  users += 1;
  const userId = `proven-${users}`;
  const requestId = `publish-${users}`;
  const rule = `RULE asked for thing${users} | hand out thing${users} first`;
  await say(services, ORG, { turns: ["hello", rule, "thanks"], force: true, userId, requestId });
  await consumeAll(services, ORG);
  const [row] = await rulesOf(ORG, userId);
  if (row === undefined) throw new Error("a rule was learned");
  return { userId, requestId, rule, id: row.id, sources: z.array(z.int()).parse(JSON.parse(row.sources)) };
}

const change = (id: number, set: ReturnType<typeof sql>) =>
  db.run(sql`UPDATE user_playbooks SET ${set} WHERE org_id = ${ORG} AND user_playbook_id = ${id}`);

describe("a user playbook", () => {
  it("is exact where every turn it cites is there, and names its publish call", async () => {
    const { id, rule, requestId } = await learned();
    const answer = await provenance("user_playbook", id);
    expect(answer).toMatchObject({
      success: true,
      target_kind: "user_playbook",
      target_id: String(id),
      provenance_status: "exact",
      trigger_request_id: requestId,
      source_user_playbooks: [],
    });
    expect(said(answer)).toEqual([rule]);
  });

  it("is a best effort where a cited turn is gone, and unavailable where all are", async () => {
    const { id, rule, sources } = await learned();
    await change(id, sql`source_interaction_ids = ${JSON.stringify([...sources, 999_999])}`);
    const partly = await provenance("user_playbook", id);
    expect([partly.provenance_status, said(partly)]).toEqual(["best_effort", [rule]]);
    await change(id, sql`source_interaction_ids = '[999999]'`);
    expect(await provenance("user_playbook", id)).toMatchObject({
      success: true,
      provenance_status: "unavailable",
      interactions: [],
      msg: expect.stringContaining("None of the turns"),
    });
  });

  it("that cites no turn shows those of its window, or else of its publish call, as a best effort", async () => {
    const { id, userId, rule } = await learned();
    await change(id, sql`source_interaction_ids = '[]'`);
    await say(services, ORG, { turns: ["elsewhere"], userId, requestId: `other-${id}` });
    await change(id, sql`request_id = ${`other-${id}`}`);
    const byWindow = await provenance("user_playbook", id);
    expect([byWindow.provenance_status, said(byWindow)]).toEqual(["best_effort", ["hello", rule, "thanks"]]);
    await change(id, sql`window_id = NULL`);
    expect(said(await provenance("user_playbook", id))).toEqual(["elsewhere"]);
  });

  it("never shows turns of another user, revoked turns, or turns of a user who is being erased", async () => {
    const [mine, theirs] = [await learned(), await learned()];
    await change(mine.id, sql`source_interaction_ids = ${JSON.stringify(theirs.sources)}`);
    expect(await provenance("user_playbook", mine.id)).toMatchObject({ provenance_status: "unavailable" });
    await change(
      mine.id,
      sql`source_interaction_ids = '[]', window_id = NULL, request_id = ${theirs.requestId}`,
    );
    expect(await provenance("user_playbook", mine.id)).toMatchObject({ provenance_status: "unavailable" });

    await db.run(sql`INSERT INTO revocations (org_id, revocation_id, kind, user_id, interaction_ids, reason,
        principal_id, created_at, state, touched)
      VALUES (${ORG}, 'r', 'interaction', ${theirs.userId}, ${JSON.stringify(theirs.sources)}, 'x', 'p', 1, 'done', '{}')`);
    expect(await provenance("user_playbook", theirs.id)).toMatchObject({ provenance_status: "unavailable" });

    const erased = await learned();
    await db.run(sql`INSERT INTO erasures (org_id, user_id, erasure_id, principal_id, counts, begun_at)
      VALUES (${ORG}, ${erased.userId}, 'e', 'p', '{}', 1)`);
    expect(await provenance("user_playbook", erased.id)).toMatchObject({ success: false, interactions: [] });
  });
});

describe("an agent playbook", () => {
  const ofSources = async (
    id: number,
    sources: { userPlaybookId: number; sourceInteractionIds: number[] }[],
  ) => {
    await db.batch([...insertAgentPlaybook(agentRule(ORG, id)), ...insertSources(ORG, id, sources)]);
    return provenance("agent_playbook", id);
  };

  it("shows each source with the turns that were used of it", async () => {
    const [first, second] = [await learned(), await learned()];
    const answer = await ofSources(9001, [
      { userPlaybookId: first.id, sourceInteractionIds: first.sources },
      { userPlaybookId: second.id, sourceInteractionIds: [] },
    ]);
    expect(answer).toMatchObject({ success: true, provenance_status: "exact", interactions: [] });
    expect(
      answer.source_user_playbooks.map(({ user_playbook, interactions, source_interaction_ids }) => ({
        id: user_playbook.user_playbook_id,
        said: interactions.map(({ content }) => content),
        ids: source_interaction_ids,
      })),
    ).toEqual([
      { id: first.id, said: [first.rule], ids: first.sources },
      { id: second.id, said: [second.rule], ids: second.sources },
    ]);
  });

  it("is a best effort where a source is gone or cannot be traced exactly", async () => {
    const known = await learned();
    const source = { userPlaybookId: known.id, sourceInteractionIds: known.sources };
    const withGone = await ofSources(9002, [source, { userPlaybookId: 888_888, sourceInteractionIds: [1] }]);
    expect(withGone.provenance_status).toBe("best_effort");
    expect(withGone.source_user_playbooks).toHaveLength(1);
    await db.batch(insertUserPlaybooks([userRule(ORG, 777_777, { userId: "nobody" })]));
    const withUntraced = await ofSources(9003, [
      source,
      { userPlaybookId: 777_777, sourceInteractionIds: [] },
    ]);
    expect(withUntraced.provenance_status).toBe("best_effort");
    expect(withUntraced.source_user_playbooks).toHaveLength(2);
  });

  it("is unavailable where nothing is recorded, and fails where the recorded is gone", async () => {
    expect(await ofSources(9004, [])).toMatchObject({ success: true, provenance_status: "unavailable" });
    expect(await ofSources(9005, [{ userPlaybookId: 888_888, sourceInteractionIds: [] }])).toMatchObject({
      success: false,
      provenance_status: "unavailable",
    });
  });

  it("shows a hundred sources at most", async () => {
    const rows = Array.from({ length: 120 }, (_, at) =>
      userRule(ORG, 600_000 + at, { userId: `many-${at}` }),
    );
    await db.batch(insertUserPlaybooks(rows));
    const answer = await ofSources(
      9006,
      rows.map(({ userPlaybookId }) => ({ userPlaybookId, sourceInteractionIds: [] })),
    );
    expect(answer.source_user_playbooks).toHaveLength(100);
  });
});

describe("a target that there is not", () => {
  it.each([
    ["user_playbook", "424242", "no such user playbook"],
    ["agent_playbook", "424242", "no such agent playbook"],
    ["user_playbook", "seven", "positive integer"],
    ["agent_playbook", "-1", "positive integer"],
    ["profile", "p", "no profiles"],
  ])("%s %s is a failure of the domain", async (kind, id, words) => {
    const answer = await provenance(kind, id);
    expect(answer).toMatchObject({
      success: false,
      target_kind: kind,
      target_id: id,
      provenance_status: "unavailable",
    });
    expect(answer.msg).toContain(words);
  });

  it("of an unknown kind, or without an id, is refused with its place", async () => {
    expect(await ask({ kind: "rule", id: "1" })).toMatchObject({
      status: 422,
      body: { detail: [{ pointer: "/kind" }] },
    });
    expect(await ask({ kind: "user_playbook", id: null })).toMatchObject({
      status: 422,
      body: { detail: [{ pointer: "/id" }] },
    });
  });
});
