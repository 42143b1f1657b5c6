import { describe, expect, it } from "vitest";
import { claimLease } from "../../../src/db/leases";
import { sql } from "../../../src/db/sql";
import { runExtraction } from "../../../src/learning/consumer";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import {
  chatter,
  consumeAll,
  consumeOnce,
  counterOf,
  countOf,
  currentOf,
  cursorOf,
  db,
  freshOrg,
  learningServices,
  pendingWork,
  rulesOf,
  say,
  windowsOf,
} from "./support";

const RULE = "RULE sealing an envelope for the archive | seal archive envelopes with wax, never with tape";
const CONTENT = "seal archive envelopes with wax, never with tape";

describe("a window", () => {
  it("waits for ten turns and then teaches (trap 1)", async () => {
    const org = freshOrg();
    const { services, reasoner } = learningServices();
    await say(services, org, { turns: [RULE, ...chatter(8)] });
    await consumeAll(services, org);
    expect(await rulesOf(org)).toEqual([]);
    expect(reasoner.calls).toEqual([]);
    await say(services, org, { turns: ["one more"] });
    await consumeAll(services, org);
    expect(await currentOf(org)).toEqual([CONTENT]);
    expect(reasoner.calls).toEqual(["shouldExtract", "extract", "reviewCandidates"]);
  });

  it("leaves rules with their proof, vectors, lineage and what must follow", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await say(services, org, { turns: ["hello", RULE], force: true, requestId: "p1" });
    await consumeAll(services, org);
    const [rule] = await rulesOf(org);
    expect(rule).toMatchObject({ content: CONTENT, status: null, request_id: "p1", sources: "[2]" });
    const of = (statement: ReturnType<typeof sql>) => countOf(sql`SELECT count(*) AS n FROM ${statement}`);
    expect(await of(sql`vectors WHERE org_id = ${org} AND kind = 'user_playbook'`)).toBe(1);
    expect(await of(sql`lineage WHERE org_id = ${org} AND op = 'create' AND actor = 'extraction'`)).toBe(1);
    expect(await of(sql`outbox WHERE org_id = ${org} AND topic = 'vector'`)).toBe(1);
    expect(await of(sql`outbox WHERE org_id = ${org} AND topic = 'aggregation'`)).toBe(1);
    expect(await of(sql`aggregation_states WHERE org_id = ${org} AND pending = 1`)).toBe(1);
    expect(await counterOf(org, "learned:user_playbook")).toBe(1);
  });

  it("keeps a receipt and no words of the conversation once it is applied", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await say(services, org, { turns: [RULE], force: true });
    await consumeAll(services, org);
    const [window] = await windowsOf(org);
    expect(window?.state).toBe("applied");
    expect(JSON.parse(window?.outcome ?? "")).toMatchObject({ rules: [1], retired: 0 });
    expect(window?.outcome).not.toContain("wax");
  });

  it("asks for no aggregation where a publisher left it out, and writes its rules all the same", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await say(services, org, { turns: [RULE], force: true, skipAggregation: true });
    await consumeAll(services, org);
    expect(await currentOf(org)).toEqual([CONTENT]);
    expect(await countOf(sql`SELECT count(*) AS n FROM aggregation_states WHERE org_id = ${org}`)).toBe(0);
    expect(
      await countOf(sql`SELECT count(*) AS n FROM outbox WHERE org_id = ${org} AND topic = 'aggregation'`),
    ).toBe(0);
  });

  it("follows window in a backlog, never only the newest (trap 2)", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    await say(services, org, { turns: chatter(60) });
    expect(await consumeOnce(services, org)).toEqual([{ retryInMs: 0 }]);
    await consumeAll(services, org);
    const manifests = (await windowsOf(org)).map(({ manifest }) => JSON.parse(manifest));
    expect(manifests.map((manifest) => [manifest[0], manifest.at(-1)])).toEqual([
      [1, 10],
      [9, 18],
      [17, 26],
      [25, 34],
      [33, 42],
      [41, 50],
      [49, 58],
    ]);
  });
});

describe("the gate", () => {
  it("that says no ends the window without another call", async () => {
    const org = freshOrg();
    const { services, reasoner } = learningServices({
      answers: { shouldExtract: () => ({ shouldExtract: false }) },
    });
    await say(services, org, { turns: [RULE, ...chatter(9)] });
    await consumeAll(services, org);
    expect(reasoner.calls).toEqual(["shouldExtract"]);
    expect(await cursorOf(org)).toMatchObject({ completed_seq: 10, window_id: null });
  });

  it("that fails lets the window through (trap 20)", async () => {
    const org = freshOrg();
    const { services } = learningServices({
      answers: {
        shouldExtract: () => {
          throw new ReasonerError("transient", "timeout", "");
        },
      },
    });
    await say(services, org, { turns: [RULE, ...chatter(9)] });
    await consumeAll(services, org);
    expect(await currentOf(org)).toEqual([CONTENT]);
  });

  it("is skipped where extraction is forced", async () => {
    const org = freshOrg();
    const { services, reasoner } = learningServices();
    await say(services, org, { turns: ["hello"], force: true });
    await consumeAll(services, org);
    expect(reasoner.calls).toEqual(["extract"]);
  });
});

describe("messages", () => {
  it("that come again, late and in any order change nothing", async () => {
    const org = freshOrg();
    const { services, reasoner } = learningServices();
    await say(services, org, { turns: [RULE], force: true });
    await say(services, org, { turns: ["RULE feeding the office cat | feed the cat at nine"], force: true });
    const [first, second] = await pendingWork(org);
    if (first === undefined || second === undefined) throw new Error("two publishes are two pieces of work");
    for (const work of [second, second, first, second, first]) {
      expect(await runExtraction(services, work)).toBe("done");
    }
    expect((await currentOf(org)).sort()).toEqual(["feed the cat at nine", CONTENT]);
    expect(reasoner.calls.filter((task) => task === "extract")).toHaveLength(2);
  });

  it("that meet another holder of the stream wait", async () => {
    const org = freshOrg();
    const { services, reasoner } = learningServices();
    await say(services, org, { turns: [RULE], force: true });
    await claimLease(db, org, "stream:ada", "somebody else", 60_000);
    expect(await consumeOnce(services, org)).toEqual([{ retryInMs: 2_000 }]);
    expect(reasoner.calls).toEqual([]);
  });

  it("whose lease is lost on the way write nothing", async () => {
    const org = freshOrg();
    const { services } = learningServices({
      answers: {
        async reviewCandidates() {
          await db.run(sql`UPDATE leases SET expires_at_ms = 0 WHERE org_id = ${org}`);
          await claimLease(db, org, "stream:ada", "somebody else", 60_000);
          return { decisions: [] };
        },
      },
    });
    await say(services, org, { turns: [RULE], force: true });
    expect(await consumeOnce(services, org)).toEqual([{ retryInMs: 2_000 }]);
    expect(await rulesOf(org)).toEqual([]);
    expect((await windowsOf(org)).map(({ state }) => state)).toEqual(["open"]);
  });
});

describe("a conversation that is published again", () => {
  it("leaves as many CURRENT rules as before, on the union of the proof (trap 28)", async () => {
    const org = freshOrg();
    const { services, reasoner } = learningServices();
    const other = "RULE feeding the office cat | feed the cat at nine";
    for (const requestId of ["first", "second", "third"]) {
      await say(services, org, { turns: [RULE, other], force: true, requestId });
      await consumeAll(services, org);
    }
    expect((await currentOf(org)).sort()).toEqual(["feed the cat at nine", CONTENT]);
    expect(reasoner.calls).not.toContain("consolidate");
    const rules = await rulesOf(org);
    const current = rules.filter(({ status }) => status === null);
    expect(current.map(({ sources }) => JSON.parse(sources).length)).toEqual([3, 3]);
    for (const { status, merged_into } of rules.filter((rule) => rule.status !== null)) {
      expect(status).toBe("merged");
      expect(rules.some(({ id }) => id === merged_into)).toBe(true);
    }
  });
});
