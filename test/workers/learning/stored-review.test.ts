/** Reviews of stored rules: what is judged by what, what a report foresees, and what an applied run leaves. */
import { describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import { reportReview } from "../../../src/learning/stored-review/report";
import { beginReview } from "../../../src/learning/stored-review/start";
import { parseConfig } from "../../../src/orgs/config";
import { useConfig } from "../../../src/orgs/config-store";
import type { Services } from "../../../src/services";
import { scopeOf } from "./modes-support";
import {
  accepted,
  allOf,
  begin,
  byBeginning,
  deliverReview,
  outcomeOf,
  RULES,
  reviewWork,
  rowsOf,
  ruleOf,
  type StoredInput,
  type StoredOutput,
  teach,
} from "./stored-review-support";
import { chatter, countOf, currentOf, db, freshOrg, learningServices, rulesOf, say } from "./support";

const reviewed = (reviewStored: (input: StoredInput) => StoredOutput | Promise<StoredOutput> = byBeginning) =>
  learningServices({ answers: { reviewStored } });

async function report(services: Services, org: string, topK?: number) {
  const made = await reportReview(scopeOf(services, org), allOf(services, topK));
  if (made === null) throw new Error("extraction is configured");
  return made;
}

const decisionsOf = ({ reported }: Awaited<ReturnType<typeof report>>) =>
  reported.map(({ userPlaybookId, decided }) => [userPlaybookId, decided.decision]);

describe("a report", () => {
  it("decides on current rules of the time, newest first, and writes nothing", async () => {
    const org = freshOrg();
    const { services } = reviewed();
    const [kept, cut, dropped] = await teach(services, org);
    const tables = ["user_playbooks", "lineage", "outbox", "review_runs", "review_items", "audit", "vectors"];
    const before = await rowsOf(org, tables);
    const made = await report(services, org);
    expect(decisionsOf(made)).toEqual([
      [dropped, "reject"],
      [cut, "edit"],
      [kept, "accept"],
    ]);
    expect(made).toMatchObject({
      selected: 3,
      stop: null,
      counts: { accepted: 1, edited: 1, rejected: 1, skipped: 0 },
      reported: [
        { decided: { reasonCode: "speculative" } },
        { decided: { reasonCode: "compound", lesson: { content: "seal archive envelopes with wax" } } },
        { decided: { reasonCode: "grounded_useful", reason: "The user said so." } },
      ],
    });
    expect(await rowsOf(org, tables)).toBe(before);
  });

  it("looks at no more than top_k rules, and at none outside the time or out of use", async () => {
    const org = freshOrg();
    const { services, reasoner } = reviewed();
    const [kept, cut, dropped] = await teach(services, org);
    expect(decisionsOf(await report(services, org, 1))).toEqual([[dropped, "reject"]]);
    await db.run(sql`UPDATE user_playbooks SET status = 'pending' WHERE org_id = ${org}
      AND user_playbook_id = ${dropped ?? 0}`);
    await db.run(sql`UPDATE user_playbooks SET created_at = created_at - 10 WHERE org_id = ${org}
      AND user_playbook_id = ${cut ?? 0}`);
    const nowSec = Math.floor(services.clock.nowMs() / 1000);
    const exactly = { startSec: nowSec, endSec: nowSec, topK: 100 };
    const made = await reportReview(scopeOf(services, org), exactly);
    expect(made?.reported.map(({ userPlaybookId }) => userPlaybookId)).toEqual([kept]);
    expect(reasoner.calls.filter((task) => task === "reviewStored")).toHaveLength(2);
    expect((await reportReview(scopeOf(services, org), { ...exactly, startSec: nowSec + 1 }))?.selected).toBe(
      0,
    );
  });

  it("trap 72: judges later rules as if earlier decisions had been carried out", async () => {
    const org = freshOrg();
    const seen = new Map<string, string[]>();
    let first: (input: StoredInput) => StoredOutput = accepted;
    const { services } = reviewed((input) => {
      seen.set(
        input.rule.content,
        input.existing.map(({ content }) => content),
      );
      return seen.size === 1 ? first(input) : accepted(input);
    });
    const older = "RULE sealing envelopes | seal all envelopes with wax";
    const newer = "RULE sealing parcels | seal all parcels with wax; hum a tune meanwhile";
    await teach(services, org, [older, newer]);
    const shownToOlder = async (decide: (input: StoredInput) => StoredOutput) => {
      seen.clear();
      first = decide;
      await report(services, org);
      return seen.get("seal all envelopes with wax");
    };
    expect(await shownToOlder(accepted)).toEqual(["seal all parcels with wax; hum a tune meanwhile"]);
    expect(await shownToOlder(byBeginning)).toEqual(["seal all parcels with wax"]);
    expect(
      await shownToOlder((input) => ({
        ...accepted(input),
        decision: "reject",
        reason_code: "",
        evidence_ids: [],
      })),
    ).toEqual([]);
  });

  it("says how far it came where the model fails, and nothing of what the model said", async () => {
    const org = freshOrg();
    let calls = 0;
    const { services } = reviewed((input) => {
      calls += 1;
      // An edit for a reason that may only reject, once and again.
      return calls === 1 ? accepted(input) : { ...accepted(input), reason_code: "absence_inference" };
    });
    await teach(services, org);
    expect(await report(services, org)).toMatchObject({
      selected: 3,
      counts: { accepted: 1 },
      reported: [{ decided: { decision: "accept" } }],
      stop: "review_invalid",
    });
    expect(calls).toBe(3);
  });

  it("ends in time for its client and says so", async () => {
    const org = freshOrg();
    const { services, clock } = reviewed((input) => {
      clock.advance(300_000);
      return accepted(input);
    });
    await teach(services, org);
    const made = await report(services, org);
    expect(made).toMatchObject({ stop: "out_of_time", selected: 3 });
    expect(made.reported).toHaveLength(2);
  });

  it("needs an org that learns rules", async () => {
    const org = freshOrg();
    const { services } = reviewed();
    await teach(services, org);
    const config = parseConfig({ user_playbook_extractor_config: null });
    await db.batch((await useConfig(org, config, 1)).statements);
    const later = learningServices({ clock: { nowMs: () => services.clock.nowMs() + 60_000 } }).services;
    expect(await reportReview(scopeOf(later, org), allOf(later))).toBeNull();
    expect(await beginReview(scopeOf(later, org), allOf(later))).toEqual({ refusal: "not_configured" });
  });
});

describe("the record of a rule", () => {
  it("is the window it was learned from and the turns it cites besides, never what was said later", async () => {
    const org = freshOrg();
    let shown: StoredInput | undefined;
    const { services } = reviewed((input) => {
      shown = input;
      return accepted(input);
    });
    await say(services, org, { turns: ["an older turn"], force: false });
    await say(services, org, { turns: chatter(12, "earlier"), force: true });
    const [id] = await teach(services, org, ["before the rule", RULES.kept, "after the rule"]);
    await say(services, org, { turns: chatter(5, "later") });
    // The rule took in another, which cites a turn of long ago.
    const rule = await ruleOf(org, id ?? 0);
    await db.run(sql`UPDATE user_playbooks SET source_interaction_ids = ${JSON.stringify([...rule.sourceInteractionIds, 1])},
      source_span = source_span || ${"\n\nan older turn"} WHERE org_id = ${org} AND user_playbook_id = ${id ?? 0}`);
    await report(services, org);
    const contents = shown?.turns.map(({ content }) => content) ?? [];
    expect(contents).toContain("an older turn");
    expect(contents).toContain("after the rule");
    expect(contents.some((content) => content.startsWith("later"))).toBe(false);
    expect(shown?.rule.evidence.map(({ text }) => text)).toEqual([RULES.kept, "an older turn"]);
  });

  it("trap 72: a rule whose record is not there as a whole is skipped, and the others are judged", async () => {
    const org = freshOrg();
    const { services, reasoner } = reviewed(accepted);
    const ids: number[] = [];
    for (let at = 0; at < 9; at += 1) {
      const [id] = await teach(
        services,
        org,
        [`talk ${at}`, `RULE asked for thing${at} | give thing${at} first`],
        `u${at}`,
      );
      ids.push(id ?? 0);
    }
    const change = (at: number, set: ReturnType<typeof sql>) =>
      db.run(
        sql`UPDATE user_playbooks SET ${set} WHERE org_id = ${org} AND user_playbook_id = ${ids[at] ?? 0}`,
      );
    await change(0, sql`user_id = NULL`);
    await change(1, sql`window_id = NULL`);
    await change(2, sql`reader_angle = NULL`);
    await change(3, sql`source_span = NULL`);
    // Somebody else's window, and a turn of the window that was not even cited.
    await change(
      4,
      sql`window_id = (SELECT window_id FROM user_playbooks WHERE org_id = ${org} AND user_playbook_id = ${ids[7] ?? 0})`,
    );
    await db.run(
      sql`DELETE FROM interactions WHERE org_id = ${org} AND user_id = 'u5' AND content = 'talk 5'`,
    );
    await change(6, sql`source_interaction_ids = '[1]'`);
    await db.run(sql`UPDATE windows SET state = 'dead' WHERE org_id = ${org} AND user_id = 'u8'`);
    reasoner.calls.length = 0;
    const runId = await begin(services, org);
    await deliverReview(services, org);
    const { run, items } = await outcomeOf(org, runId);
    expect(run).toMatchObject({ state: "done", accepted: 1, skipped: 8 });
    expect(
      items.map(({ userPlaybookId, decision, reasonCode }) => [userPlaybookId, decision, reasonCode]),
    ).toEqual([
      [ids[8], "skip", "evidence_unavailable"],
      [ids[7], "accept", "grounded_useful"],
      ...ids
        .slice(0, 7)
        .reverse()
        .map((id) => [id, "skip", "evidence_unavailable"]),
    ]);
    expect(reasoner.calls).toEqual(["reviewStored"]);
  });

  it("is not there where one of its turns was revoked", async () => {
    const org = freshOrg();
    const { services, reasoner } = reviewed(accepted);
    await teach(services, org, [RULES.kept]);
    await db.run(sql`INSERT INTO revocations (org_id, revocation_id, kind, user_id, interaction_ids, reason,
        principal_id, created_at, state, touched)
      VALUES (${org}, 'r', 'interaction', 'ada', '[1]', 'x', 'p', 1, 'done', '{}')`);
    expect((await report(services, org)).reported).toMatchObject([{ decided: { decision: "skip" } }]);
    expect(reasoner.calls).not.toContain("reviewStored");
  });
});

describe("an applied review", () => {
  it("answers at once, then leaves accepted rules alone, replaces edited ones and archives rejected ones", async () => {
    const org = freshOrg();
    const { services, reasoner, clock } = reviewed();
    const [kept, cut, dropped] = await teach(services, org);
    await db.run(sql`UPDATE user_playbooks SET tags = '["old"]', flags = '["thin_support"]', notes = 'a note'
      WHERE org_id = ${org} AND user_playbook_id = ${cut ?? 0}`);
    await db.run(sql`DELETE FROM outbox WHERE org_id = ${org}`);
    await db.run(sql`DELETE FROM aggregation_states WHERE org_id = ${org}`);
    const keptBefore = await ruleOf(org, kept ?? 0);
    const incumbent = await ruleOf(org, cut ?? 0);
    clock.advance(5_000);
    reasoner.calls.length = 0;
    const runId = await begin(services, org);
    expect(reasoner.calls).toEqual([]);
    expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "running", selected: 3, position: 0 });
    expect(await deliverReview(services, org)).toBeNull();

    const { run, items } = await outcomeOf(org, runId);
    expect(run).toMatchObject({
      state: "done",
      accepted: 1,
      edited: 1,
      rejected: 1,
      skipped: 0,
      error: null,
    });
    const successorId = items[1]?.successorId ?? 0;
    expect(await ruleOf(org, kept ?? 0)).toEqual(keptBefore);
    expect(await ruleOf(org, dropped ?? 0)).toMatchObject({ status: "archived" });
    expect(await ruleOf(org, cut ?? 0)).toMatchObject({ status: "superseded", supersededBy: successorId });
    expect(await ruleOf(org, successorId)).toMatchObject({
      status: null,
      content: "seal archive envelopes with wax",
      trigger: incumbent.trigger,
      source: incumbent.source,
      userId: "ada",
      agentVersion: incumbent.agentVersion,
      requestId: runId,
      tags: null,
      flags: ["thin_support"],
      notes: "a note\nreview:revise:compound",
      windowId: incumbent.windowId,
      sourceInteractionIds: incumbent.sourceInteractionIds,
      sourceSpan: incumbent.sourceSpan,
      readerAngle: incumbent.readerAngle,
    });
    const of = (statement: ReturnType<typeof sql>) => countOf(sql`SELECT count(*) AS n FROM ${statement}`);
    const lineage = (where: ReturnType<typeof sql>) =>
      of(
        sql`lineage WHERE org_id = ${org} AND request_id = ${runId} AND actor = 'playbook_review' AND ${where}`,
      );
    expect(
      await lineage(sql`op = 'revise' AND entity_id = ${String(successorId)} AND reason = 'compound'
        AND source_ids = ${JSON.stringify([cut])}`),
    ).toBe(1);
    expect(
      await lineage(
        sql`entity_id = ${String(dropped)} AND to_status = 'archived' AND reason = 'speculative'`,
      ),
    ).toBe(1);
    expect(await lineage(sql`true`)).toBe(3);
    expect(
      await of(sql`vectors WHERE org_id = ${org} AND kind = 'user_playbook' AND entity_id = ${successorId}`),
    ).toBe(1);
    expect(await of(sql`outbox WHERE org_id = ${org} AND topic = 'vector'`)).toBe(3);
    expect(await of(sql`outbox WHERE org_id = ${org} AND topic = 'aggregation'`)).toBe(2);
    expect(await of(sql`aggregation_states WHERE org_id = ${org} AND pending = 1`)).toBe(1);
    expect(await of(sql`audit WHERE org_id = ${org} AND action = 'review.user_playbooks'`)).toBe(1);
  });

  it("decides what a report foresaw, since each rule is judged after the ones before it", async () => {
    const org = freshOrg();
    const { services } = reviewed((input) =>
      input.existing.some(({ content }) => content.includes("parcels with wax; hum"))
        ? { ...accepted(input), decision: "reject", reason_code: "redundant", evidence_ids: [] }
        : byBeginning(input),
    );
    await teach(services, org, [
      "RULE sealing envelopes | seal all envelopes with wax",
      "RULE sealing parcels | seal all parcels with wax; hum a tune meanwhile",
    ]);
    const foreseen = decisionsOf(await report(services, org));
    const runId = await begin(services, org);
    await deliverReview(services, org);
    const { items } = await outcomeOf(org, runId);
    expect(items.map(({ userPlaybookId, decision }) => [userPlaybookId, decision])).toEqual(foreseen);
  });

  it("can judge a successor again, from the same record", async () => {
    const org = freshOrg();
    const { services, clock } = reviewed();
    await teach(services, org, [RULES.cut]);
    await begin(services, org);
    await deliverReview(services, org);
    clock.advance(1_000);
    expect((await report(services, org)).reported).toMatchObject([{ decided: { decision: "accept" } }]);
  });

  it("trap 72: a rule that stopped being current stops the run, and earlier decisions stay", async () => {
    const org = freshOrg();
    const { services } = reviewed(async (input) => {
      if (input.rule.content.startsWith("seal")) {
        await db.run(sql`UPDATE user_playbooks SET status = 'archived', updated_at_ms = updated_at_ms + 1
          WHERE org_id = ${org} AND content = ${input.rule.content}`);
      }
      return byBeginning(input);
    });
    const [kept, cut, dropped] = await teach(services, org);
    const runId = await begin(services, org);
    expect(await deliverReview(services, org)).toBeNull();
    const { run, items } = await outcomeOf(org, runId);
    expect(run).toMatchObject({ state: "failed", error: "not_current", rejected: 1, edited: 0, position: 1 });
    expect(items.map(({ decision }) => decision)).toEqual(["reject", null, null]);
    expect(await ruleOf(org, dropped ?? 0)).toMatchObject({ status: "archived" });
    expect(await ruleOf(org, cut ?? 0)).toMatchObject({ status: "archived", supersededBy: null });
    expect(await ruleOf(org, kept ?? 0)).toMatchObject({ status: null });
    expect(await reviewWork(org)).toEqual([]);
  });

  it("judges a rule anew that was rewritten while it was judged, and never applies the judgement of the old text", async () => {
    const org = freshOrg();
    const judged: string[] = [];
    const { services } = reviewed(async (input) => {
      judged.push(input.rule.content);
      if (judged.length === 1) {
        await db.run(sql`UPDATE user_playbooks SET content = 'seal with string', updated_at_ms = updated_at_ms + 1
          WHERE org_id = ${org}`);
      }
      return byBeginning(input);
    });
    const [id] = await teach(services, org, [RULES.cut]);
    const runId = await begin(services, org);
    await deliverReview(services, org);
    expect(judged).toEqual(["seal archive envelopes with wax; hum a tune meanwhile", "seal with string"]);
    expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "done", accepted: 1, edited: 0 });
    expect(await ruleOf(org, id ?? 0)).toMatchObject({ status: null, content: "seal with string" });
  });

  it("does not rewrite a rule whose turns went while it was judged: it is skipped", async () => {
    const org = freshOrg();
    const { services } = reviewed(async (input) => {
      await db.run(sql`DELETE FROM interactions WHERE org_id = ${org}`);
      return byBeginning(input);
    });
    await teach(services, org, [RULES.cut]);
    const runId = await begin(services, org);
    await deliverReview(services, org);
    expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "done", skipped: 1, edited: 0 });
    expect(await currentOf(org)).toEqual(["seal archive envelopes with wax; hum a tune meanwhile"]);
  });

  it("is one at a time, and the same request is one run", async () => {
    const org = freshOrg();
    const { services } = reviewed();
    await teach(services, org);
    const scope = scopeOf(services, org);
    const first = await beginReview(scope, allOf(services));
    expect(await beginReview(scope, allOf(services))).toEqual(first);
    const runId = "run" in first ? first.run.runId : "";
    expect(runId).toMatch(/^playbook_review_/);
    expect(await beginReview(scopeOf(services, org), allOf(services))).toEqual({
      refusal: "in_progress",
      runId,
    });
    expect(await reviewWork(org)).toHaveLength(1);
    await deliverReview(services, org);
    expect(await beginReview(scopeOf(services, org), allOf(services))).toMatchObject({
      run: { state: "running" },
    });
  });

  it("over no rules is done when it begins and leaves no work; only the newest twenty are kept", async () => {
    const org = freshOrg();
    const { services, clock } = reviewed();
    for (let at = 0; at < 22; at += 1) {
      await begin(services, org);
      clock.advance(1_000);
    }
    expect(await reviewWork(org)).toEqual([]);
    expect(
      await countOf(sql`SELECT count(*) AS n FROM review_runs WHERE org_id = ${org} AND state = 'done'`),
    ).toBe(20);
  });

  it("keeps ids and codes of what was decided, and no words", async () => {
    const org = freshOrg();
    const { services } = reviewed();
    await teach(services, org);
    await begin(services, org);
    await deliverReview(services, org);
    const rows = await rowsOf(org, ["review_runs", "review_items"]);
    for (const word of ["wax", "ledger", "adjective", "ada"]) expect(rows).not.toContain(word);
  });

  it("never judges or shows rules of another org", async () => {
    const [mine, other] = [freshOrg(), freshOrg()];
    const { services } = reviewed();
    await teach(services, other);
    expect(await report(services, mine)).toMatchObject({ selected: 0 });
    const runId = await begin(services, mine);
    expect((await outcomeOf(mine, runId)).run).toMatchObject({ selected: 0 });
    expect((await rulesOf(other)).every(({ status }) => status === null)).toBe(true);
  });
});
