import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { completeWork, findWork, takeDueWork } from "../../../src/db/outbox";
import { sql } from "../../../src/db/sql";
import { listDeadLetters } from "../../../src/learning/dead-letter-store";
import { replayDeadLetter } from "../../../src/learning/dead-letters";
import { runTagging } from "../../../src/learning/tagging";
import { parseConfig } from "../../../src/orgs/config";
import { forgetConfig, useConfig } from "../../../src/orgs/config-store";
import { ReasonerError, type TaskInput, type TaskOutput } from "../../../src/platform/reasoner/port";
import type { Services } from "../../../src/services";
import { performWork } from "../../../src/work";
import { consumeAll, countOf, db, freshOrg, learningServices, say } from "./support";

const definition = "plants: care of plants. money: prices and refunds.";

async function configure(org: string, taggingPrompt: string | null): Promise<void> {
  const config = parseConfig({
    user_playbook_extractor_config: {
      extraction_definition_prompt: "Lessons.",
      tagging_definition_prompt: taggingPrompt,
    },
  });
  await db.batch((await useConfig(org, config, 1)).statements);
  forgetConfig(org);
}

async function taggingWork(org: string) {
  const rows = await db.all(
    z.object({ id: z.string() }),
    sql`SELECT id FROM outbox WHERE org_id = ${org} AND topic = 'tagging' ORDER BY due_at_ms, id`,
  );
  const found = await Promise.all(rows.map(({ id }) => findWork(db, { orgId: org, id })));
  return found.filter((work) => work !== null);
}

/** Runs waiting tagging work once each, as the queue would. */
async function tagOnce(services: Services, org: string) {
  const results: Awaited<ReturnType<typeof runTagging>>[] = [];
  for (const work of await taggingWork(org)) {
    const result = await runTagging(services, work);
    if (result === "done") await db.run(completeWork(work));
    results.push(result);
  }
  return results;
}

const tagsOf = async (org: string) =>
  (
    await db.all(
      z.object({ content: z.string(), tags: z.string().nullable() }),
      sql`SELECT content, tags FROM user_playbooks WHERE org_id = ${org} AND status IS NULL ORDER BY user_playbook_id`,
    )
  ).map(({ content, tags }) => [content, tags === null ? null : z.array(z.string()).parse(JSON.parse(tags))]);

type Tag = (input: TaskInput<"tag">) => TaskOutput<"tag"> | Promise<TaskOutput<"tag">>;

/** Rules about ferns are about plants; nothing else fits a tag. */
const byWord: Tag = ({ rules }) => ({
  assignments: rules.map(({ label, content }) => ({
    label,
    tags: content.includes("fern") ? ["plants"] : [],
  })),
});

/** An org whose user has the given rules, learned in one window each. */
async function learned(
  contents: readonly string[],
  tag: Tag = byWord,
  taggingPrompt: string | null = definition,
) {
  const org = freshOrg();
  const seen: TaskInput<"tag">[] = [];
  const world = learningServices({
    answers: {
      tag: (input) => {
        seen.push(input);
        return tag(input);
      },
    },
  });
  await configure(org, taggingPrompt);
  for (const [at, content] of contents.entries()) {
    await say(world.services, org, {
      turns: [`RULE occasion number ${at} ${content} | ${content}`],
      force: true,
    });
    await consumeAll(world.services, org);
  }
  return { org, seen, ...world };
}

describe("rules of an org that wants tags", () => {
  it("are tagged afterwards, by the org's words, and [] says that nothing fitted", async () => {
    const { org, seen, services } = await learned(["water the fern", "call the bank"]);
    expect(await tagsOf(org)).toEqual([
      ["water the fern", null],
      ["call the bank", null],
    ]);
    expect(await tagOnce(services, org)).toEqual(["done", "done"]);
    expect(await tagsOf(org)).toEqual([
      ["water the fern", ["plants"]],
      ["call the bank", []],
    ]);
    expect(seen.map((input) => [input.definition, input.rules.map(({ label }) => label)])).toEqual([
      [definition, ["R1", "R2"]],
    ]);
  });

  it("wait for more of the same user: the work falls due later, and its first message tags for all", async () => {
    const { org, clock, services } = await learned(["water the fern", "call the bank", "dust the shelf"]);
    const own = async () =>
      (await takeDueWork(db, clock.nowMs(), 500)).filter(({ orgId }) => orgId === org).map(({ id }) => id);
    const ids = new Set((await taggingWork(org)).map(({ id }) => id));
    expect(services.sent.some(({ id }) => ids.has(id))).toBe(false);
    expect((await own()).filter((id) => ids.has(id))).toEqual([]);
    clock.advance(15_000);
    const due = (await own()).filter((id) => ids.has(id));
    expect(due).toHaveLength(3);
    for (const id of due) expect(await performWork(services, { orgId: org, id })).toBe("done");
    expect(await taggingWork(org)).toEqual([]);
    expect(await tagsOf(org)).toHaveLength(3);
    expect((await tagsOf(org)).every(([, tags]) => tags !== null)).toBe(true);
  });

  it("are asked about at most 20 in a call", async () => {
    const { org, seen, services } = await learned([]);
    const turns = Array.from(
      { length: 23 },
      (_, at) => `RULE moment${at} place${at} | act${at} thing${at} fern`,
    );
    await say(services, org, { turns: turns.slice(0, 12), force: true });
    await say(services, org, { turns: turns.slice(12), force: true });
    await consumeAll(services, org);
    const count = (await tagsOf(org)).length;
    expect(count).toBeGreaterThan(20);
    await tagOnce(services, org);
    expect(seen.map(({ rules }) => rules.length)).toEqual([20, count - 20]);
    expect((await tagsOf(org)).every(([, tags]) => tags !== null)).toBe(true);
  });

  it("are tagged once, however often the message comes", async () => {
    const { org, seen, services } = await learned(["water the fern"]);
    const [work] = await taggingWork(org);
    if (work === undefined) throw new Error("tagging work waits");
    expect(await Promise.all([runTagging(services, work), runTagging(services, work)])).toContain("done");
    expect(await runTagging(services, work)).toBe("done");
    expect(seen).toHaveLength(1);
  });

  it("keep what they have where they changed or vanished while the model thought", async () => {
    const world = await learned(["water the fern", "mist the fern", "turn the fern"], async (input) => {
      await db.batch([
        sql`UPDATE user_playbooks SET content = 'sell the fern', updated_at_ms = updated_at_ms + 1
            WHERE org_id = ${world.org} AND content = 'water the fern'`,
        sql`DELETE FROM user_playbooks WHERE org_id = ${world.org} AND content = 'mist the fern'`,
      ]);
      return byWord(input);
    });
    const [work] = await taggingWork(world.org);
    if (work === undefined) throw new Error("tagging work waits");
    expect(await runTagging(world.services, work)).toBe("done");
    // The rewritten rule was read again and tagged by its new words.
    expect(world.seen.map(({ rules }) => rules.map(({ content }) => content))).toEqual([
      ["water the fern", "mist the fern", "turn the fern"],
      ["sell the fern"],
    ]);
    expect(await tagsOf(world.org)).toEqual([
      ["sell the fern", ["plants"]],
      ["turn the fern", ["plants"]],
    ]);
  });

  it("stay untagged, and the work ends, where the adapter cannot tag", async () => {
    const { org, seen, services } = await learned(["water the fern"], () => ({ assignments: null }));
    expect(await tagOnce(services, org)).toEqual(["done"]);
    expect(seen).toHaveLength(1);
    expect(await tagsOf(org)).toEqual([["water the fern", null]]);
  });

  it("wait for a model that is busy", async () => {
    let isBusy = true;
    const { org, services } = await learned(["water the fern"], (input) => {
      if (isBusy) throw new ReasonerError("transient", "rate_limited", "busy", 7_000);
      return byWord(input);
    });
    expect(await tagOnce(services, org)).toEqual([{ retryInMs: 7_000 }]);
    isBusy = false;
    expect(await tagOnce(services, org)).toEqual(["done"]);
    expect(await tagsOf(org)).toEqual([["water the fern", ["plants"]]]);
  });

  it("leave one dead letter when an answer stays unusable after its repair, and its replay tags them", async () => {
    let isBroken = true;
    const { org, seen, services } = await learned(["water the fern"], (input) =>
      isBroken ? { assignments: [{ label: "R7", tags: [] }] } : byWord(input),
    );
    expect(await tagOnce(services, org)).toEqual(["done"]);
    expect(seen.map(({ repair }) => repair?.problems)).toEqual([
      undefined,
      ['rule "R7" does not exist', "rule R1 is not tagged"],
    ]);
    const [letter] = await listDeadLetters(db, org, { state: "open", limit: 10 });
    expect(letter).toMatchObject({ topic: "tagging", key: ["ada", "agent-v0"], reason: "tags_invalid" });
    isBroken = false;
    const by = { principal: { orgId: org, id: "ada" }, requestId: "r" };
    await replayDeadLetter(services, org, letter?.deadLetterId ?? "", by);
    expect(await tagOnce(services, org)).toEqual(["done"]);
    expect(await tagsOf(org)).toEqual([["water the fern", ["plants"]]]);
  });
});

describe("an org that wants no tags", () => {
  it("has no such work", async () => {
    const { org } = await learned(["water the fern"], byWord, null);
    expect(await taggingWork(org)).toEqual([]);
  });

  it("asks no model for work from before it changed its mind", async () => {
    const { org, seen, services } = await learned(["water the fern"]);
    await configure(org, null);
    expect(await tagOnce(services, org)).toEqual(["done"]);
    expect(seen).toEqual([]);
    expect(
      await countOf(sql`SELECT count(*) AS n FROM user_playbooks WHERE org_id = ${org} AND tags IS NULL`),
    ).toBe(1);
  });
});

describe("a rule that somebody rewrites", () => {
  const call = (method: string, path: string, body: unknown) =>
    exports.default.fetch(`http://localhost${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const org = "self-host-org";

  it("loses its tags and is tagged again by its new words", async () => {
    await configure(org, definition);
    const added = await call("POST", "/api/add_user_playbook", {
      user_playbooks: [
        { user_id: "ada", agent_version: "v1", request_id: "r", content: "call the bank", tags: ["money"] },
      ],
    });
    expect(added.status).toBe(200);
    const { id } = z
      .object({ id: z.int() })
      .parse(
        await db.first(
          z.object({ id: z.int() }),
          sql`SELECT user_playbook_id AS id FROM user_playbooks WHERE org_id = ${org} AND content = 'call the bank'`,
        ),
      );
    expect(await taggingWork(org)).toEqual([]);
    await call("PUT", "/api/update_user_playbook", { user_playbook_id: id, content: "water the fern" });
    expect(await tagsOf(org)).toEqual([["water the fern", null]]);
    expect((await taggingWork(org)).map(({ key }) => key)).toEqual([["ada", "v1"]]);
    await tagOnce(learningServices({ answers: { tag: byWord } }).services, org);
    expect(await tagsOf(org)).toEqual([["water the fern", ["plants"]]]);
    await configure(org, null);
    await call("PUT", "/api/update_user_playbook", { user_playbook_id: id, content: "mist the fern" });
    expect(await taggingWork(org)).toEqual([]);
  });
});
