import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { LearningWatch } from "../../../src/interactions/status";
import { listDeadLetters, writeDeadLetter } from "../../../src/learning/dead-letter-store";
import { replayDeadLetter } from "../../../src/learning/dead-letters";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import {
  consumeAll,
  consumeOnce,
  counterOf,
  countOf,
  currentOf,
  cursorOf,
  db,
  freshOrg,
  learningServices,
  rulesOf,
  say,
  windowsOf,
} from "./support";

const RULE = "RULE tuning the old piano | tune the piano from the middle outwards";
const CONTENT = "tune the piano from the middle outwards";
const by = (orgId: string) => ({ principal: { orgId, id: "olga" }, requestId: "test" });
const failing = (...error: ConstructorParameters<typeof ReasonerError>) => ({
  extract: () => {
    throw new ReasonerError(...error);
  },
});
const lettersOf = (org: string) => listDeadLetters(db, org, { state: "all", limit: 10 });
const statusOf = (org: string, requestId: string, nowMs: number) =>
  new LearningWatch(db, org, requestId).read(nowMs);

describe("a passing fault", () => {
  it("is tried again later, longer each time, and then teaches", async () => {
    const org = freshOrg();
    const answers = failing("transient", "rate_limited", "slow down", 1_500);
    const { services, clock } = learningServices({ answers });
    await say(services, org, { turns: [RULE], force: true, requestId: "p" });
    expect(await consumeOnce(services, org)).toEqual([{ retryInMs: 1_500 }]);
    expect(await cursorOf(org)).toMatchObject({ completed_seq: 0, attempts: 1, last_error: "rate_limited" });
    expect(await statusOf(org, "p", clock.nowMs())).toEqual({ status: "pending", reason: "retrying" });
    clock.advance(1_000);
    expect(await consumeOnce(services, org)).toEqual([{ retryInMs: 500 }]);
    clock.advance(500);
    expect(await consumeOnce(services, org)).toEqual([{ retryInMs: 2_000 }]);
    clock.advance(2_000);

    const healthy = learningServices({ clock });
    await consumeAll(healthy.services, org);
    expect(await currentOf(org)).toEqual([CONTENT]);
    expect(await cursorOf(org)).toMatchObject({ attempts: 0, last_error: null, window_id: null });
    expect(await lettersOf(org)).toEqual([]);
  });

  it("in the review does not pay for the extraction again", async () => {
    const org = freshOrg();
    const first = learningServices({
      answers: {
        reviewCandidates: () => {
          throw new ReasonerError("transient", "timeout", "");
        },
      },
    });
    await say(first.services, org, { turns: [RULE], force: true });
    await consumeOnce(first.services, org);
    const second = learningServices();
    second.clock.advance(1_000);
    await consumeAll(second.services, org);
    expect(second.reasoner.calls).toEqual(["reviewCandidates"]);
    expect(await currentOf(org)).toEqual([CONTENT]);
  });
});

it("a spent day waits for the next UTC day", async () => {
  const org = freshOrg();
  const { services, clock } = learningServices({ answers: failing("refused", "daily_cap", "spent") });
  await say(services, org, { turns: [RULE], force: true });
  expect(await consumeOnce(services, org)).toEqual([{ retryInMs: 43_200_000 }]);
  expect(await lettersOf(org)).toEqual([]);
  clock.advance(43_200_000);
  await consumeAll(learningServices({ clock }).services, org);
  expect(await currentOf(org)).toEqual([CONTENT]);
});

describe("a lasting fault", () => {
  it("becomes a dead letter without content; the stream goes on and the status says failed", async () => {
    const org = freshOrg();
    const { services, clock } = learningServices({
      answers: failing("unusable", "truncated_json", "PIANO words"),
    });
    await say(services, org, { turns: [RULE], force: true, requestId: "p" });
    await consumeAll(services, org);
    const [letter, ...others] = await lettersOf(org);
    expect(others).toEqual([]);
    expect(letter).toMatchObject({
      topic: "extraction",
      reason: "truncated_json",
      attempts: 1,
      replayedAt: null,
    });
    expect(letter?.message).not.toContain("PIANO");
    expect(await windowsOf(org)).toMatchObject([{ state: "dead", outcome: null, error: "truncated_json" }]);
    expect(await counterOf(org, "dead:truncated_json")).toBe(1);
    expect(await statusOf(org, "p", clock.nowMs())).toEqual({ status: "failed", reason: "dead_letter" });

    await say(services, org, { turns: ["hello"], force: true });
    const healthy = learningServices();
    await consumeAll(healthy.services, org);
    expect(await cursorOf(org)).toMatchObject({ completed_seq: 2, window_id: null });
  });

  it.each([
    [
      "an answer of which no rule holds, also after its repair",
      {
        extract: () => ({
          playbooks: [
            { trigger: "t", content: "c", rationale: "r", evidence_kind: "x", evidence_refs: ["T1"] },
          ],
        }),
      },
      "candidates_invalid",
      ["extract", "extract"],
    ],
    [
      "a reviewer that leaves a candidate undecided, also after its repair (trap 21)",
      { reviewCandidates: () => ({ decisions: [] }) },
      "review_invalid",
      ["extract", "reviewCandidates", "reviewCandidates"],
    ],
  ])("%s", async (_, answers, reason, calls) => {
    const org = freshOrg();
    const { services, reasoner } = learningServices({ answers });
    await say(services, org, { turns: [RULE], force: true });
    await consumeAll(services, org);
    expect(reasoner.calls).toEqual(calls);
    expect(await lettersOf(org)).toMatchObject([{ reason }]);
    expect(await rulesOf(org)).toEqual([]);
  });

  it("that a repair mends is none; the second attempt is told what was wrong", async () => {
    const org = freshOrg();
    const repairs: unknown[] = [];
    const { services } = learningServices({
      answers: {
        extract: ({ repair }) => {
          repairs.push(repair?.problems);
          const cited = repair === undefined ? "T9" : "T1";
          return {
            playbooks: [
              {
                trigger: "tuning",
                content: CONTENT,
                rationale: "r",
                evidence_kind: "correction",
                evidence_refs: [cited],
              },
            ],
          };
        },
      },
    });
    await say(services, org, { turns: ["hello"], force: true });
    await consumeAll(services, org);
    expect(repairs).toEqual([undefined, ["rule 1: unknown_turn"]]);
    expect(await currentOf(org)).toEqual([CONTENT]);
  });
});

describe("a replay", () => {
  const killed = async () => {
    const org = freshOrg();
    const { services } = learningServices({ answers: failing("refused", "unauthorized", "") });
    await say(services, org, { turns: [RULE], force: true, requestId: "p" });
    await consumeAll(services, org);
    await say(services, org, { turns: ["hello"], force: true });
    // The next window sees the dead one's turns as context; here it learns nothing from them.
    await consumeAll(learningServices({ answers: { extract: () => ({ playbooks: [] }) } }).services, org);
    const [letter] = await lettersOf(org);
    if (letter === undefined) throw new Error("the window is dead");
    return { org, letter };
  };

  it("learns from the dead window and leaves the cursor where it is", async () => {
    const { org, letter } = await killed();
    const { services, clock } = learningServices();
    const before = await cursorOf(org);
    const replayed = await replayDeadLetter(services, org, letter.deadLetterId, by(org));
    expect(replayed.replayedAt).toBe(Math.floor(clock.nowMs() / 1000));
    expect(await statusOf(org, "p", clock.nowMs())).toMatchObject({ status: "processing" });
    await consumeAll(services, org);
    expect(await currentOf(org)).toEqual([CONTENT]);
    expect(await cursorOf(org)).toEqual(before);
    expect(await statusOf(org, "p", clock.nowMs())).toMatchObject({ status: "done" });
  });

  it("that is asked for twice happens once", async () => {
    const { org, letter } = await killed();
    const { services, reasoner } = learningServices();
    const answers = await Promise.all(
      [1, 2, 3].map(() => replayDeadLetter(services, org, letter.deadLetterId, by(org))),
    );
    expect(new Set(answers.map(({ replayedAt }) => replayedAt)).size).toBe(1);
    await consumeAll(services, org);
    await replayDeadLetter(services, org, letter.deadLetterId, by(org));
    await consumeAll(services, org);
    expect(reasoner.calls.filter((task) => task === "extract")).toHaveLength(1);
    expect(
      await countOf(
        sql`SELECT count(*) AS n FROM audit WHERE org_id = ${org} AND entity_id = ${letter.deadLetterId}`,
      ),
    ).toBe(1);
  });

  it("that dies again is open again, with one attempt more", async () => {
    const { org, letter } = await killed();
    const { services } = learningServices({ answers: failing("unusable", "prompt_echo", "") });
    await replayDeadLetter(services, org, letter.deadLetterId, by(org));
    await consumeAll(services, org);
    expect(await lettersOf(org)).toMatchObject([{ reason: "prompt_echo", attempts: 2, replayedAt: null }]);
    await replayDeadLetter(services, org, letter.deadLetterId, by(org));
    await consumeAll(learningServices().services, org);
    expect(await currentOf(org)).toEqual([CONTENT]);
  });

  it("of erased turns ends without a rule", async () => {
    const { org, letter } = await killed();
    await db.run(sql`DELETE FROM interactions WHERE org_id = ${org} AND interaction_id = 1`);
    const { services, reasoner } = learningServices();
    await replayDeadLetter(services, org, letter.deadLetterId, by(org));
    await consumeAll(services, org);
    expect(reasoner.calls).toEqual([]);
    expect(await currentOf(org)).toEqual([]);
  });

  it("of another org's letter answers like one that does not exist", async () => {
    const { letter } = await killed();
    const { services } = learningServices();
    const other = freshOrg();
    await expect(replayDeadLetter(services, other, letter.deadLetterId, by(other))).rejects.toMatchObject({
      kind: "not_found",
    });
  });
});

describe("over HTTP", () => {
  const call = (path: string, method: string, principal: string) =>
    exports.default.fetch(`http://localhost${path}`, {
      method,
      headers: { "X-Playmaker-Principal": principal },
    });
  const listed = z.object({
    dead_letters: z.array(z.object({ dead_letter_id: z.string(), replayed_at: z.int().nullable() })),
  });

  it("owners see what was given up and replay it; others do not", async () => {
    await db.run(
      writeDeadLetter("self-host-org", {
        deadLetterId: "dead_aggregation",
        topic: "aggregation",
        key: ["agent-v9"],
        reason: "truncated_json",
        message: "It ended early.",
        attempts: 1,
        createdAt: 1,
      }),
    );
    for (const roles of ["agent", "editor", "reviewer"]) {
      expect((await call("/api/dead_letters", "GET", `mallory; ${roles}`)).status).toBe(403);
      expect(
        (await call("/api/dead_letters/dead_aggregation/replay", "POST", `mallory; ${roles}`)).status,
      ).toBe(403);
    }
    const before = listed.parse(await (await call("/api/dead_letters", "GET", "olga; owner")).json());
    expect(before.dead_letters).toEqual([{ dead_letter_id: "dead_aggregation", replayed_at: null }]);
    const replayed = await call("/api/dead_letters/dead_aggregation/replay", "POST", "olga; owner");
    expect(replayed.status).toBe(200);
    expect(
      listed.parse(await (await call("/api/dead_letters", "GET", "olga; owner")).json()).dead_letters,
    ).toEqual([]);
    const all = listed.parse(
      await (await call("/api/dead_letters?state=replayed", "GET", "olga; owner")).json(),
    );
    expect(all.dead_letters).toHaveLength(1);
  });

  it("an unknown letter is 404 and a bad filter 422, each in its dialect", async () => {
    expect((await call("/api/dead_letters/nothing/replay", "POST", "olga; owner")).status).toBe(404);
    const bad = await call("/api/dead_letters?state=lost", "GET", "olga; owner");
    expect(bad.status).toBe(422);
    expect(await bad.text()).toContain("/query/state");
  });
});
