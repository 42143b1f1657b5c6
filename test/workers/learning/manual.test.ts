/** Generation by hand: synchronous for a minute, CURRENT output, aggregation after it. */
import { describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import { generateByHand } from "../../../src/learning/modes/manual";
import { parseConfig } from "../../../src/orgs/config";
import { useConfig } from "../../../src/orgs/config-store";
import {
  asked,
  deliver,
  deliverAll,
  operationOf,
  rulesIn,
  scopeOf,
  tell,
  VERSION,
  waitingWork,
} from "./modes-support";
import {
  consumeAll,
  countOf,
  currentOf,
  cursorOf,
  db,
  freshOrg,
  learningServices,
  say,
  windowsOf,
} from "./support";

const rule = (about: string): string => `RULE caring for ${about} | tend ${about} every single morning`;
const lesson = (about: string): string => `tend ${about} every single morning`;

/** A pause in which the queue does its work. */
const working = (services: Parameters<typeof deliverAll>[0], org: string) => async () => {
  await deliverAll(services, org);
};

describe("a generation by hand", () => {
  it("answers with the version's CURRENT rules once it is through, and aggregation follows", async () => {
    const org = freshOrg();
    const { services, reasoner } = learningServices();
    await tell(services, org, { userId: "ada", turns: [rule("ferns")] });
    await tell(services, org, { userId: "bob", turns: [rule("moss")] });
    const answer = await generateByHand(scopeOf(services, org), asked(), working(services, org));
    expect(answer).toEqual({
      success: true,
      msg: "Playbook generation completed for 2 users",
      playbooksGenerated: 2,
      operationId: expect.stringMatching(/^gen_/),
    });
    expect((await rulesIn(org)).map(({ content, status }) => [content, status])).toEqual([
      [lesson("ferns"), null],
      [lesson("moss"), null],
    ]);
    expect((await rulesIn(org)).every(({ request }) => /^manual_[0-9a-f]{8}$/.test(request))).toBe(true);
    expect(reasoner.calls).not.toContain("shouldExtract");
    expect(await countOf(sql`SELECT pending AS n FROM aggregation_states WHERE org_id = ${org}`)).toBe(1);
    expect(
      await countOf(sql`SELECT count(*) AS n FROM outbox WHERE org_id = ${org} AND topic = 'aggregation'`),
    ).toBeGreaterThan(0);
  });

  it("counts all CURRENT rules of the version and not the new ones alone", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await say(services, org, { turns: [rule("ferns")], force: true });
    await consumeAll(services, org);
    const cursor = await cursorOf(org);
    const answer = await generateByHand(scopeOf(services, org), asked(), working(services, org));
    expect(answer.playbooksGenerated).toBe(1);
    // The same lesson from the same turns is merged with the rule in use; the stream goes on where it was.
    expect(await currentOf(org)).toEqual([lesson("ferns")]);
    expect(await cursorOf(org)).toEqual(cursor);
  });

  it("that takes longer than a minute goes on, and the answer says so with its id", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await tell(services, org, { turns: [rule("ferns")] });
    let waitedMs = 0;
    const answer = await generateByHand(scopeOf(services, org), asked(), async (ms) => {
      waitedMs += ms;
    });
    expect(waitedMs).toBe(60_000);
    const operation = await operationOf(org);
    expect(answer).toEqual({
      success: true,
      msg: "Playbook generation is still running (0 of 1 users); poll /api/get_operation_status for its end",
      playbooksGenerated: null,
      operationId: operation?.operation_id,
    });
    await deliverAll(services, org);
    expect(await operationOf(org)).toMatchObject({ status: "completed", rules: 1 });
  });

  it("with nobody to learn from succeeds with nothing, and without an extractor fails", async () => {
    const org = freshOrg();
    const { services, clock } = learningServices();
    expect(await generateByHand(scopeOf(services, org), asked())).toEqual({
      success: true,
      msg: "No interactions found",
      playbooksGenerated: 0,
      operationId: null,
    });
    await db.batch(
      (await useConfig(org, parseConfig({ user_playbook_extractor_config: null }), 1)).statements,
    );
    clock.advance(60_000);
    expect(await generateByHand(scopeOf(services, org), asked())).toMatchObject({
      success: false,
      msg: "Playbook generation is not configured",
    });
  });

  it("finds the users of the latest 1,000 sessions", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await tell(services, org, { userId: "old", turns: [rule("frost")], sessionId: "s-old" });
    await tell(services, org, { userId: "new", turns: [rule("bread")], sessionId: "s-new" });
    // 999 later sessions of the same user, each with one publish that has no turn left.
    await db.run(
      sql`WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 999)
          INSERT INTO requests (org_id, max_seq, min_seq, request_id, user_id, session_id, source, agent_version,
            created_at, evaluation_only, force_extraction, skip_aggregation, config_hash, playbook_eligible,
            profile_eligible, body_hash, warnings)
          SELECT r.org_id, 1000 + at, 1000 + at, 'r' || at, r.user_id, 's' || at, '', r.agent_version, r.created_at,
            0, 0, 0, r.config_hash, 1, 0, '', '[]' FROM n CROSS JOIN requests r
          WHERE r.org_id = ${org} AND r.user_id = 'new'`,
    );
    await generateByHand(scopeOf(services, org), asked(), working(services, org));
    expect((await rulesIn(org)).map(({ content }) => content)).toEqual([lesson("bread")]);
  });

  it("makes rules of the version that was asked for, whatever version was talked to", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await tell(services, org, { turns: [rule("ferns")], agentVersion: "v7" });
    await generateByHand(scopeOf(services, org), asked({ agentVersion: "v8" }), working(services, org));
    expect((await rulesIn(org)).map(({ version }) => version)).toEqual(["v8"]);
    expect(VERSION).not.toBe("v8");
  });

  it("plans anew when a rule that it counts on changes meanwhile, and pays for no answer twice", async () => {
    const org = freshOrg();
    const { services, reasoner } = learningServices();
    await say(services, org, { turns: [rule("ferns")], force: true });
    await consumeAll(services, org);
    const calls = reasoner.calls.length;
    let touched = 0;
    const meddling = learningServices({
      database: () => db,
      embedder: {
        ...services.embedder,
        async embed(texts, purpose) {
          if (touched < 2) {
            touched += 1;
            await db.run(
              sql`UPDATE user_playbooks SET updated_at_ms = updated_at_ms + 1 WHERE org_id = ${org} AND status IS NULL`,
            );
          }
          return services.embedder.embed(texts, purpose);
        },
      },
    });
    const answer = await generateByHand(
      scopeOf(meddling.services, org),
      asked(),
      working(meddling.services, org),
    );
    expect(answer.success).toBe(true);
    expect(await currentOf(org)).toEqual([lesson("ferns")]);
    expect(meddling.reasoner.calls.filter((task) => task === "extract")).toHaveLength(1);
    expect(calls).toBeGreaterThan(0);
    expect((await windowsOf(org)).map(({ state }) => state)).toEqual(["applied", "applied"]);
  });

  it("waits for the user's own stream, and costs the user no try", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await tell(services, org, { turns: [rule("ferns")] });
    await db.run(
      sql`INSERT INTO leases (org_id, key, owner, fence, expires_at_ms)
          VALUES (${org}, 'stream:ada', 'somebody', 1, 9000000000000)`,
    );
    await generateByHand(scopeOf(services, org), asked(), working(services, org));
    expect(await rulesIn(org)).toEqual([]);
    await db.run(sql`UPDATE leases SET expires_at_ms = 0 WHERE org_id = ${org}`);
    const [work] = await waitingWork(org);
    if (work === undefined) throw new Error("the user's work is gone");
    expect(await deliver(services, work)).toBe("done");
    expect((await rulesIn(org)).map(({ content }) => content)).toEqual([lesson("ferns")]);
  });
});
