/** The pages of dead letters: read why, replay one, or all of a reason after seeing them. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { writeDeadLetter } from "../../../src/learning/dead-letter-store";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import { consumeAll, learningServices, say } from "../learning/support";
import { newKey, newOrg, signedIn, TestBrowser, type TestOrg } from "./browser";
import { db } from "./map-seed";

const PATH = "/desk/dead-letters";
const RULE = "RULE asked of the loom | oil the loom";

interface Planted {
  id: string;
  reason?: string;
  key?: (string | number)[];
  topic?: "extraction" | "tagging" | "vector";
  message?: string;
  at?: number;
}

const plant = (org: TestOrg, letters: readonly Planted[]) =>
  db.batch(
    letters.map(({ id, reason, key, topic, message, at }) =>
      writeDeadLetter(org.orgId, {
        deadLetterId: id,
        topic: topic ?? "tagging",
        key: key ?? ["ada", "v1"],
        reason: reason ?? "truncated_json",
        message: message ?? "It ended too soon.",
        attempts: 2,
        createdAt: at ?? 1,
      }),
    ),
  );

/** Letters of the org with when they were replayed. */
const lettersOf = async (org: TestOrg): Promise<Record<string, number | null>> =>
  Object.fromEntries(
    (
      await db.all(
        z.object({ id: z.string(), at: z.int().nullable() }),
        sql`SELECT dead_letter_id AS id, replayed_at AS at FROM dead_letters WHERE org_id = ${org.orgId}`,
      )
    ).map(({ id, at }) => [id, at]),
  );

/** A window that really died. */
async function deadWindow(org: TestOrg): Promise<string> {
  const { services } = learningServices({
    answers: {
      extract: () => {
        throw new ReasonerError("unusable", "truncated_json", "LOOM words");
      },
    },
  });
  await say(services, org.orgId, { turns: [RULE], userId: "zanzibar", force: true });
  await consumeAll(services, org.orgId);
  return Object.keys(await lettersOf(org))[0] ?? "";
}

const idsIn = (html: string): string[] =>
  [...html.matchAll(/name="id" value="([^"]+)"/g)].map(([, id]) => id ?? "");

describe("the list", () => {
  it("says what to do next where nothing is dead", async () => {
    const browser = await signedIn(await newOrg());
    const open = await browser.open(PATH);
    expect(open.html).toContain("No dead letter is open");
    expect(open.html).toContain('href="/desk/learning"');
    expect((await browser.open(`${PATH}?state=replayed`)).html).toContain("None was replayed yet");
  });

  it("tells why, what would help, and what it was about", async () => {
    const org = await newOrg();
    await deadWindow(org);
    const { html } = await (await signedIn(org)).open(PATH);
    expect(html).toContain("The model&#39;s answer ended before it was complete.");
    expect(html).toContain("Replaying asks the model again");
    expect(html).toMatch(/1 turn of a conversation with agent-v0\./);
    expect(html).toContain("<strong>zanzibar</strong>");
    expect(html).toContain('href="/desk/sessions/session%20of%20zanzibar"');
    expect(html).not.toContain("LOOM");
  });

  it("keeps the written sentence of a reason that nobody explained", async () => {
    const org = await newOrg();
    await plant(org, [{ id: "a", reason: "constructor", message: "A sentence of its own." }]);
    expect((await (await signedIn(org)).open(PATH)).html).toContain("A sentence of its own.");
  });

  it("shows hostile texts as text, cut, with hidden characters named", async () => {
    const org = await newOrg();
    await plant(org, [
      {
        id: '"><img src=x onerror=alert(1)>',
        reason: "<script>alert(2)</script>",
        message: "javascript:alert(3) \u202egnp",
        key: ["<b>ada</b>", "x".repeat(100_000)],
      },
      { id: "v", topic: "vector", key: ["user_playbook", "../../x?y=<z>"] },
    ]);
    const { html } = await (await signedIn(org)).open(PATH);
    expect(html).not.toMatch(/<img|<script>|<b>ada|href="javascript:/i);
    expect(html).toContain("⟦U+202E⟧gnp");
    expect(html).toContain('href="/desk/user-playbooks?id=..%2F..%2Fx%3Fy%3D%3Cz%3E"');
    expect(html.length).toBeLessThan(40_000);
  });

  it("is paged, newest first, without a gap or a repetition, in both tabs", async () => {
    const org = await newOrg();
    const planted = Array.from({ length: 60 }, (_, position) => ({
      id: `dead_${String(position).padStart(2, "0")}`,
      at: 100 + Math.floor(position / 20),
    }));
    await plant(org, planted);
    const browser = await signedIn(org);
    const newestFirst = planted.map(({ id }) => id).reverse();
    const walk = async (start: string, pattern: RegExp): Promise<string[]> => {
      const seen: string[] = [];
      for (let path = start; path !== ""; ) {
        const { html } = await browser.open(path);
        seen.push(...[...html.matchAll(pattern)].map(([, id]) => id ?? ""));
        path = (/href="(\/desk\/dead-letters\?[^"]*before=[^"]+)"/.exec(html)?.[1] ?? "").replaceAll(
          "&amp;",
          "&",
        );
      }
      return seen;
    };
    expect(await walk(PATH, /name="id" value="(dead_\d\d)"/g)).toEqual(newestFirst);
    await db.run(sql`UPDATE dead_letters SET replayed_at = created_at WHERE org_id = ${org.orgId}`);
    expect(await walk(`${PATH}?state=replayed`, /id="letter-(dead_\d\d)"/g)).toEqual(newestFirst);
    expect((await browser.open(PATH)).html).toContain("No dead letter is open");
  });

  it("is for those who may administer, and names users to reviewers only", async () => {
    const org = await newOrg();
    await plant(org, [{ id: "a", key: ["zanzibar", "v1"] }]);
    const reviewer = await new TestBrowser().signIn(await newKey(org, "rae", ["reviewer"]));
    expect((await reviewer.open(PATH)).status).toBe(403);
    expect((await reviewer.open("/")).html).not.toContain('href="/desk/dead-letters"');
    const key = await newKey(org, "ops", ["agent"]);
    await db.run(
      sql`UPDATE api_keys SET scopes = '["read","admin"]' WHERE org_id = ${org.orgId} AND principal_id = 'ops'`,
    );
    const operator = await (await new TestBrowser().signIn(key)).open(PATH);
    expect([operator.status, operator.html.includes("zanzibar")]).toEqual([200, false]);
    expect((await (await signedIn(org)).open(PATH)).html).toContain("zanzibar");
  });

  it("holds nothing of another org", async () => {
    const [org, other] = [await newOrg(), await newOrg()];
    await plant(org, [
      { id: "quillonite", reason: "quillonite", message: "quillonite", key: ["quillonite"] },
    ]);
    const browser = await signedIn(other);
    expect((await browser.open(PATH)).html).not.toContain("quillonite");
    expect((await browser.open(`${PATH}/replay?reason=quillonite`)).html).toContain(
      "No open letter has this reason",
    );
    await browser.open(PATH);
    const answer = await browser.submit(`${PATH}/replay`, { id: "quillonite" });
    expect(answer.headers.get("location")).toBe(`${PATH}?replayed=0&missing=1`);
    expect(await lettersOf(org)).toEqual({ quillonite: null });
  });
});

describe("replaying one", () => {
  it("takes the work up again, once, and says so", async () => {
    const org = await newOrg();
    const id = await deadWindow(org);
    const browser = await signedIn(org);
    const [shown] = idsIn((await browser.open(PATH)).html);
    expect(shown).toBe(id);
    const answer = await browser.submit(`${PATH}/replay`, { id });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${PATH}?replayed=1`]);
    const replayedAt = (await lettersOf(org))[id];
    expect(replayedAt).toBeGreaterThan(0);
    const audits = async () =>
      (
        await db.all(
          z.object({ n: z.int() }),
          sql`SELECT count(*) AS n FROM audit WHERE org_id = ${org.orgId} AND action = 'replay.dead_letter'`,
        )
      )[0]?.n;
    expect((await browser.open(`${PATH}?replayed=1`)).html).toContain("1 dead letter taken up again");
    expect((await browser.open(`${PATH}?state=replayed`)).html).toContain(`letter-${id}`);
    await browser.submit(`${PATH}/replay`, { id });
    expect([(await lettersOf(org))[id], await audits()]).toEqual([replayedAt, 1]);
  });

  it("says where its work can no longer be done", async () => {
    const org = await newOrg();
    const id = await deadWindow(org);
    await db.run(sql`UPDATE windows SET state = 'applied' WHERE org_id = ${org.orgId}`);
    const browser = await signedIn(org);
    await browser.open(PATH);
    const answer = await browser.submit(`${PATH}/replay`, { id });
    expect(answer.headers.get("location")).toBe(`${PATH}?replayed=0&outdated=1`);
    expect((await browser.open(`${PATH}?replayed=0&outdated=1`)).html).toContain(
      "1 dead letter can no longer be replayed",
    );
    expect((await lettersOf(org))[id]).toBeNull();
  });

  it("needs the token of its page, and words of the notice come from no link", async () => {
    const org = await newOrg();
    await plant(org, [{ id: "a" }]);
    const browser = await signedIn(org);
    expect((await browser.submit(`${PATH}/replay`, { id: "a" }, { csrf: "x".repeat(32) })).status).toBe(403);
    expect(await lettersOf(org)).toEqual({ a: null });
    expect((await browser.open(`${PATH}?replayed=<b>1</b>`)).status).toBe(422);
  });
});

describe("replaying all of a reason", () => {
  it("shows what it would take up again, then does exactly that", async () => {
    const org = await newOrg();
    await plant(org, [
      { id: "a", at: 2 },
      { id: "b", at: 1 },
      { id: "c", reason: "billing" },
    ]);
    const browser = await signedIn(org);
    const list = await browser.open(PATH);
    expect(list.html).toContain('href="/desk/dead-letters/replay?reason=truncated_json"');
    const { html } = await browser.open(`${PATH}/replay?reason=truncated_json`);
    const listed = /name="ids" value="([^"]+)"/.exec(html)?.[1]?.replaceAll("&quot;", '"') ?? "";
    expect(JSON.parse(listed)).toEqual(["b", "a"]);
    expect(html).toContain("Replay 2 letters");
    expect(await lettersOf(org)).toEqual({ a: null, b: null, c: null });
    // One that dies while the person reads is not among what was confirmed.
    await plant(org, [{ id: "late" }]);
    const answer = await browser.submit(`${PATH}/replay-all`, { ids: listed });
    expect(answer.headers.get("location")).toBe(`${PATH}?replayed=2`);
    const after = await lettersOf(org);
    expect([after.a !== null, after.b !== null, after.c, after.late]).toEqual([true, true, null, null]);
  });

  it("lists a hundred at most, the longest dead first", async () => {
    const org = await newOrg();
    await plant(
      org,
      Array.from({ length: 103 }, (_, position) => ({ id: `dead_${position}`, at: 1_000 - position })),
    );
    const { html } = await (await signedIn(org)).open(`${PATH}/replay?reason=truncated_json`);
    expect(html).toContain("These are the 100 that have waited longest; more are open.");
    const listed = /name="ids" value="([^"]+)"/.exec(html)?.[1]?.replaceAll("&quot;", '"') ?? "[]";
    expect(JSON.parse(listed)).toHaveLength(100);
    expect(JSON.parse(listed)[0]).toBe("dead_102");
  });

  it("goes on where one of them is gone or outdated", async () => {
    const org = await newOrg();
    const id = await deadWindow(org);
    await db.run(sql`UPDATE windows SET state = 'invalidated' WHERE org_id = ${org.orgId}`);
    await plant(org, [{ id: "a" }]);
    const browser = await signedIn(org);
    await browser.open(PATH);
    const answer = await browser.submit(`${PATH}/replay-all`, {
      ids: JSON.stringify([id, "gone", "a", "a"]),
    });
    expect(answer.headers.get("location")).toBe(`${PATH}?replayed=1&outdated=1&missing=1`);
  });

  it.each([
    "",
    "[]",
    "{}",
    "not json",
    JSON.stringify(Array.from({ length: 101 }, (_, n) => `d${n}`)),
    "[1]",
  ])("refuses a list that no page made: %s", async (ids) => {
    const browser = await signedIn(await newOrg());
    await browser.open(PATH);
    const answer = await browser.submit(`${PATH}/replay-all`, { ids });
    expect([answer.status, answer.html.includes("must be a JSON array of 1 to 100 ids")]).toEqual([
      422,
      true,
    ]);
  });
});
