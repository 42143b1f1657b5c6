/** Reruns: every matching user's last turns, learned anew into PENDING rules beside those in use. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { startGeneration } from "../../../src/learning/modes/start";
import { parseConfig } from "../../../src/orgs/config";
import { useConfig } from "../../../src/orgs/config-store";
import { insertUserPlaybooks } from "../../../src/playbooks/store";
import { userRule } from "../playbooks/rules";
import {
  asked,
  deliver,
  deliverAll,
  operationOf,
  rulesIn,
  scopeOf,
  tell,
  unitsOf,
  VERSION,
  waitingWork,
} from "./modes-support";
import {
  chatter,
  consumeAll,
  countOf,
  cursorOf,
  db,
  freshOrg,
  learningServices,
  say,
  windowsOf,
} from "./support";

const idRow = z.object({ id: z.int() });
const rule = (about: string): string => `RULE caring for ${about} | tend ${about} every single morning`;
const lesson = (about: string): string => `tend ${about} every single morning`;

describe("a rerun", () => {
  it("learns from every user's last turns without stride or gate, into PENDING rules of the version", async () => {
    const org = freshOrg();
    const { services, reasoner } = learningServices();
    await tell(services, org, { userId: "ada", turns: [rule("ferns")] });
    await tell(services, org, { userId: "bob", turns: [rule("moss")] });
    const start = await startGeneration(scopeOf(services, org), "rerun", asked());
    expect(start).toMatchObject({ users: 2 });
    await deliverAll(services, org);
    expect(await rulesIn(org)).toEqual([
      {
        user: "ada",
        content: lesson("ferns"),
        status: "pending",
        version: VERSION,
        request: expect.any(String),
      },
      {
        user: "bob",
        content: lesson("moss"),
        status: "pending",
        version: VERSION,
        request: expect.any(String),
      },
    ]);
    expect((await rulesIn(org)).every(({ request }) => /^rerun_playbook_[0-9a-f]{8}$/.test(request))).toBe(
      true,
    );
    expect(reasoner.calls).not.toContain("shouldExtract");
    expect(await operationOf(org)).toMatchObject({
      status: "completed",
      total_users: 2,
      processed_users: 2,
      failed_users: 0,
      turns: 2,
      rules: 2,
      current_user_id: null,
    });
  });

  it("trap 32: deletes PENDING rules of its version first, and neither CURRENT ones nor another version's", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await tell(services, org, { turns: [rule("ferns")] });
    await db.batch(
      insertUserPlaybooks([
        userRule(org, 901, { agentVersion: VERSION, status: "pending" }),
        userRule(org, 902, { agentVersion: VERSION, status: null }),
        userRule(org, 903, { agentVersion: "other", status: "pending" }),
        userRule(org, 904, { agentVersion: VERSION, status: "archived" }),
        userRule(org, 905, { agentVersion: VERSION, status: "pending", flags: ["tainted"] }),
      ]),
    );
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await deliverAll(services, org);
    const left = await db.all(
      idRow,
      sql`SELECT user_playbook_id AS id FROM user_playbooks WHERE org_id = ${org} AND user_playbook_id > 900 ORDER BY 1`,
    );
    expect(left.map(({ id }) => id)).toEqual([902, 903, 904, 905]);
    expect(
      await countOf(sql`SELECT count(*) AS n FROM lineage WHERE org_id = ${org} AND op = 'hard_delete'`),
    ).toBe(1);
  });

  it("trap 32: wakes no aggregation, merges with no CURRENT rule and moves no cursor", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await say(services, org, { turns: [rule("ferns")], force: true });
    await consumeAll(services, org);
    const before = { cursor: await cursorOf(org), rules: await rulesIn(org) };
    await db.run(sql`DELETE FROM outbox WHERE org_id = ${org}`);
    await db.run(sql`DELETE FROM aggregation_states WHERE org_id = ${org}`);
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await deliverAll(services, org);
    const rules = await rulesIn(org);
    expect(rules.filter(({ status }) => status === null)).toEqual(before.rules);
    expect(rules.filter(({ status }) => status === "pending").map(({ content }) => content)).toEqual([
      lesson("ferns"),
    ]);
    expect(await cursorOf(org)).toEqual(before.cursor);
    expect(await countOf(sql`SELECT count(*) AS n FROM aggregation_states WHERE org_id = ${org}`)).toBe(0);
    expect(
      await countOf(sql`SELECT count(*) AS n FROM outbox WHERE org_id = ${org} AND topic = 'aggregation'`),
    ).toBe(0);
  });

  it("shows a window of the last turns only, in arrival order", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await tell(services, org, { turns: [rule("the oldest"), ...chatter(9), rule("the newest")] });
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await deliverAll(services, org);
    expect((await rulesIn(org)).map(({ content }) => content)).toEqual([lesson("the newest")]);
    const [window] = await windowsOf(org);
    expect(JSON.parse(window?.manifest ?? "[]")).toHaveLength(10);
  });

  it("reads only what its version, time and source let it, and never what admission kept out", async () => {
    const org = freshOrg();
    const { services, clock } = learningServices();
    await tell(services, org, { userId: "early", turns: [rule("frost")], source: "chat" });
    clock.advance(60_000);
    const from = Math.floor(clock.nowMs() / 1000);
    await tell(services, org, { userId: "right", turns: [rule("bread")], source: "chat" });
    await tell(services, org, { userId: "right", turns: [rule("mail")], source: "mail" });
    await tell(services, org, { userId: "mailer", turns: [rule("stamps")], source: "mail" });
    await tell(services, org, {
      userId: "other",
      turns: [rule("goats")],
      source: "chat",
      agentVersion: "v9",
    });
    await tell(services, org, {
      userId: "judge",
      turns: [rule("wigs")],
      source: "chat",
      evaluationOnly: true,
    });
    const until = Math.floor(clock.nowMs() / 1000);
    clock.advance(60_000);
    await tell(services, org, { userId: "late", turns: [rule("dusk")], source: "chat" });
    await startGeneration(
      scopeOf(services, org),
      "rerun",
      asked({ source: "chat", startSec: from, endSec: until }),
    );
    await deliverAll(services, org);
    expect((await rulesIn(org)).map(({ content }) => content)).toEqual([lesson("bread")]);
    expect((await unitsOf(org)).map(({ user }) => user)).toEqual(["right"]);
  });

  it("learns from the org's enabled sources alone, and from none that is not among them", async () => {
    const org = freshOrg();
    const { services, clock } = learningServices();
    await tell(services, org, { userId: "ada", turns: [rule("chat")], source: "chat" });
    await tell(services, org, { userId: "bob", turns: [rule("mail")], source: "mail" });
    const config = parseConfig({
      user_playbook_extractor_config: {
        extraction_definition_prompt: "What helps.",
        request_sources_enabled: ["mail"],
      },
    });
    await db.batch((await useConfig(org, config, 1)).statements);
    clock.advance(60_000);
    expect(await startGeneration(scopeOf(services, org), "rerun", asked({ source: "chat" }))).toEqual({
      refusal: "no_users",
    });
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await deliverAll(services, org);
    expect((await rulesIn(org)).map(({ user }) => user)).toEqual(["bob"]);
  });

  it("with nobody to learn from, or while another runs, begins nothing", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    expect(await startGeneration(scopeOf(services, org), "rerun", asked())).toEqual({ refusal: "no_users" });
    expect(await operationOf(org)).toBeNull();
    await tell(services, org, { turns: [rule("ferns")] });
    await startGeneration(scopeOf(services, org), "rerun", asked());
    const first = await operationOf(org);
    expect(await startGeneration(scopeOf(services, org), "rerun", asked())).toEqual({
      refusal: "in_progress",
    });
    expect(await startGeneration(scopeOf(services, org), "manual", asked())).toEqual({
      refusal: "in_progress",
    });
    expect(await operationOf(org)).toEqual(first);
  });

  it("is refused while an upgrade is under way", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await tell(services, org, { turns: [rule("ferns")] });
    await db.run(
      sql`INSERT INTO version_changes (org_id, change_id, kind, archive_current, last_id, state, phase, after_id,
            batches, counts, principal_id, request_id, started_at)
          VALUES (${org}, 'c', 'upgrade', 1, 9, 'running', 0, 0, 0, '[]', 'p', 'r', 1)`,
    );
    expect(await startGeneration(scopeOf(services, org), "rerun", asked())).toEqual({
      refusal: "version_change",
    });
  });
});

describe("revoked and deleted turns", () => {
  const revoke = (org: string, kind: "user" | "interaction", userId: string, ids: readonly number[]) =>
    db.run(
      sql`INSERT INTO revocations (org_id, revocation_id, kind, user_id, interaction_ids, reason, principal_id,
            created_at, state, touched)
          VALUES (${org}, ${`rev-${userId}`}, ${kind}, ${userId}, ${JSON.stringify(ids)}, 'r', 'p', 1, 'done',
            '{"turns":0,"windows":0,"user_playbooks":0,"agent_playbooks":0}')`,
    );
  const turnIds = (org: string, userId: string) =>
    db.all(
      idRow,
      sql`SELECT interaction_id AS id FROM interactions WHERE org_id = ${org} AND user_id = ${userId} ORDER BY 1`,
    );

  it("are shown to no rerun: neither a revoked user's nor a revoked turn", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await tell(services, org, { userId: "gone", turns: [rule("smoke")] });
    await tell(services, org, { userId: "ada", turns: [rule("secrets"), rule("ferns")] });
    const [secret] = await turnIds(org, "ada");
    await revoke(org, "user", "gone", []);
    await revoke(org, "interaction", "ada", [secret?.id ?? 0]);
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await deliverAll(services, org);
    expect((await rulesIn(org)).map(({ content }) => content)).toEqual([lesson("ferns")]);
    expect((await unitsOf(org)).map(({ user }) => user)).toEqual(["ada"]);
  });

  it("that go while a model reads them teach nothing, and the rest is read again", async () => {
    const org = freshOrg();
    let strikes = 0;
    const { services } = learningServices({
      answers: {
        extract: async ({ turns }) => {
          strikes += 1;
          if (strikes === 1) {
            const [first] = await turnIds(org, "ada");
            await db.run(
              sql`DELETE FROM interactions WHERE org_id = ${org} AND interaction_id = ${first?.id ?? 0}`,
            );
          }
          return {
            playbooks: turns.map((turn) => ({
              trigger: turn.content.slice(5, 30),
              content: turn.content.split(" | ")[1] ?? "",
              rationale: "said so",
              evidence_kind: "correction",
              evidence_refs: [turn.label],
            })),
          };
        },
      },
    });
    await tell(services, org, { turns: [rule("secrets"), rule("ferns")] });
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await deliverAll(services, org);
    expect(strikes).toBe(2);
    expect((await rulesIn(org)).map(({ content }) => content)).toEqual([lesson("ferns")]);
    expect((await windowsOf(org)).map(({ state, outcome }) => [state, outcome === null]).sort()).toEqual([
      ["applied", false],
      ["invalidated", true],
    ]);
    expect(await operationOf(org)).toMatchObject({ status: "completed", processed_users: 1 });
  });

  it("that all go before their user's turn leave a user without rules, and no failure", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await tell(services, org, { turns: [rule("ferns")] });
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await db.run(sql`DELETE FROM interactions WHERE org_id = ${org}`);
    await deliverAll(services, org);
    expect(await unitsOf(org)).toEqual([{ user: "ada", state: "done", attempts: 0, error: null }]);
    expect(await operationOf(org)).toMatchObject({ status: "completed", rules: 0, turns: 0 });
  });
});

describe("a message", () => {
  it("that comes twice, late, or for an operation that another has replaced does nothing", async () => {
    const org = freshOrg();
    const { services, reasoner } = learningServices();
    await tell(services, org, { turns: [rule("ferns")] });
    await startGeneration(scopeOf(services, org), "rerun", asked());
    const [preparing] = await waitingWork(org);
    if (preparing === undefined) throw new Error("no work");
    await deliverAll(services, org);
    const after = {
      operation: await operationOf(org),
      rules: await rulesIn(org),
      calls: reasoner.calls.length,
    };
    expect(await deliver(services, preparing)).toBe("done");
    await deliver(services, { ...preparing, key: [String(preparing.key[0]), 1] });
    await deliver(services, { ...preparing, key: ["gen_unknown", 1] });
    await deliver(services, { ...preparing, key: ["nonsense"] });
    expect({
      operation: await operationOf(org),
      rules: await rulesIn(org),
      calls: reasoner.calls.length,
    }).toEqual(after);
  });
});
