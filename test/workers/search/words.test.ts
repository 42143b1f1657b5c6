/** The word index in the real FTS5: what people type finds what was written, in their own org only. */
import { beforeAll, describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import { byMeaning, byWords, interactions } from "../../../src/search/store";
import { orgToken, searchText, wordQuery } from "../../../src/search/words";
import { CountingD1, newWorld, seedUser, type World } from "./seed";

/** Query → the rule that it must find, among all the others. */
const CASES: readonly (readonly [string, string])[] = [
  ["multi-agent", "Run the multi-agent review first"],
  ["multi agent", "Run the multi-agent review first"],
  ["multiagent", "Run the multi-agent review first"],
  ["Multi\u2011Agent", "Run the multi-agent review first"],
  ["don't", "We don't discount twice"],
  ["don\u2019t", "We don't discount twice"],
  ["GB/s", "Throughput is given in GB/s"],
  ["gb/s", "Throughput is given in GB/s"],
  ["C++", "Answer in C++ unless told otherwise"],
  ["c++.", "Answer in C++ unless told otherwise"],
  ["C#", "C# projects use file-scoped namespaces"],
  ["a_b.c", "Look up the key a_b.c in the table"],
  [".NET", "Target .NET eight"],
  ["v1.2.3", "Stay on v1.2.3 of the driver"],
  ["deploying", "Announce deployments to everybody"],
  ["deployment", "Announce deployments to everybody"],
  ["deploy", "Announce deployments to everybody"],
  ["announ", "Announce deployments to everybody"],
  ["cafe", "The café closes at six"],
  ["CAFÉ", "The café closes at six"],
  ["cafe\u0301", "The café closes at six"],
  ["naïve", "Avoid naive estimates"],
  ["Strasse", "Write Straße in full"],
  ["smorrebrod", "Smørrebrød needs rye bread"],
  ["istanbul", "İstanbul orders ship on Monday"],
  ["部署", "先检查再部署服务"],
  ["部", "先检查再部署服务"],
  ["务", "先检查再部署服务"],
  ["检查部署", "先检查再部署服务"],
  ["サーバー", "GPUサーバーを再起動する"],
  ["gpu", "GPUサーバーを再起動する"],
  ["ｻｰﾊﾞｰ", "GPUサーバーを再起動する"],
  ["환불", "고객에게 환불을 먼저 안내한다"],
  ["ภาษา", "ตอบเป็นภาษาไทยเสมอ"],
  ["हिन्दी", "उत्तर हिन्दी में दें"],
  ["возврат", "Возврат подтверждает начальник"],
  ["ВОЗВРАТ", "Возврат подтверждает начальник"],
  ["שלום", "אמרו שָׁלוֹם תחילה"],
  ["مرحبا", "قل مَرْحَبًا أولا"],
  ["𠮷野家", "𠮷野家では先払い"],
  ["42", "Escalate after 42 minutes"],
  ["４２", "Escalate after 42 minutes"],
  ["what about the escalation minutes", "Escalate after 42 minutes"],
  ["ﬁnance", "Finance signs every contract"],
  ["customers'", "Each customer's file is private"],
  ["NOT private OR file*", "Each customer's file is private"],
];
const CONTENTS = [...new Set(CASES.map(([, content]) => content))];
const NOTHING = [
  '"',
  "*",
  "(",
  ")",
  "\0",
  "\ud800",
  "\udfff",
  "'",
  "-",
  "+++",
  "^",
  ":",
  "\\",
  "…",
  "  ",
  "\u200b",
  "🙂",
];
const HOSTILE = [
  'a" OR scope : "o',
  "NEAR(a b, 5)",
  "scope:x",
  "{a b}:c",
  "-refund",
  "^refund",
  'x"',
  "a AND",
  "OR",
];

describe("the word index", () => {
  let world: World;
  const find = async (query: string, orgId = world.orgId): Promise<string[]> => {
    const match = wordQuery(query, orgToken(orgId));
    if (match === null) return [];
    const [result] = await world.d1.db.batch([byWords(orgId, "user_playbook", match, {}, 100)]);
    return (result?.rows ?? []).map((row) =>
      row instanceof Object ? String(Reflect.get(row, "content")) : "",
    );
  };

  beforeAll(async () => {
    world = newWorld();
    await seedUser(
      world,
      ...CONTENTS.map((content, position) => ({ userPlaybookId: position + 1, content })),
    );
  });

  it.each(CASES)("finds by %s: %s", async (query, content) => {
    expect((await find(query))[0]).toBe(content);
  });

  it.each(NOTHING)("matches nothing by %j and raises no error", async (query) => {
    expect(wordQuery(query, orgToken(world.orgId))).toBeNull();
  });

  it.each(HOSTILE)("takes %j for words, not for operators", async (query) => {
    for (const content of await find(query)) expect(CONTENTS).toContain(content);
  });

  it("keeps a half of a character or a NUL from hiding the words around it", async () => {
    for (const query of ["café\0closes", "\ud83dcafé", "café\udc00"]) {
      expect((await find(query))[0]).toBe("The café closes at six");
    }
  });

  it("does not find a word by its beginning in the middle of a query", async () => {
    expect(await find("announ zzz")).toEqual([]);
  });

  it("follows edits and deletions", async () => {
    const { db } = world.d1;
    const orgId = "edited org";
    const row = { ...world, orgId };
    await seedUser(row, { userPlaybookId: 1, content: "first wording" });
    await db.run(sql`UPDATE user_playbooks SET content = 'second', search_text = ${searchText("second")}
      WHERE org_id = ${orgId}`);
    expect(await find("wording", orgId)).toEqual([]);
    expect(await find("second", orgId)).toEqual(["second"]);
    await db.run(sql`DELETE FROM user_playbooks WHERE org_id = ${orgId}`);
    expect(await find("second", orgId)).toEqual([]);
  });

  it("reads rows of its own org only, however many others use the same words", async () => {
    const busy = newWorld();
    for (let org = 0; org < 40; org += 1) {
      const rows = Array.from({ length: 25 }, (_, id) => ({
        userPlaybookId: id + 1,
        content: "shared words everywhere",
      }));
      await seedUser({ ...busy, orgId: `neighbour ${org}` }, ...rows);
    }
    await seedUser(busy, { userPlaybookId: 1, content: "shared words everywhere" });
    const counting = new CountingD1();
    const match = wordQuery("shared words every", orgToken(busy.orgId)) ?? "";
    const [result] = await counting.db.batch([byWords(busy.orgId, "user_playbook", match, {}, 100)]);
    expect(result?.rows).toHaveLength(1);
    expect(counting.rowsRead).toBeLessThan(12);
  });

  it("keeps orgs apart whose ids differ only in case, accents or symbols", async () => {
    const ids = ["acme", "ACME", "acmé", "acme ", "ac-me", 'acme" OR "'];
    for (const orgId of ids)
      await seedUser({ ...world, orgId }, { userPlaybookId: 1, content: `secret of ${orgId}` });
    for (const orgId of ids) expect(await find("secret", orgId)).toEqual([`secret of ${orgId}`]);
  });

  it("finds a user's turns by words, best first, or the newest without any", async () => {
    const { db } = world.d1;
    const orgId = "turns";
    const contents = ["refund please", "hello there", "the refund, again: refund!", "bye"];
    for (const [position, content] of contents.entries()) {
      const [id, user] = [position + 1, position === 3 ? "bob" : "ann"];
      await db.batch([
        sql`INSERT INTO interactions (org_id, user_id, interaction_id, request_id, created_at, role, content, details)
          VALUES (${orgId}, ${user}, ${id}, 'r1', ${1000 + id}, 'User', ${content}, '{}')`,
        sql`INSERT INTO interactions_fts (rowid, scope, search_text)
          SELECT row, ${orgToken(orgId)}, ${searchText(content)} FROM interactions
          WHERE org_id = ${orgId} AND interaction_id = ${id}`,
      ]);
    }
    const ids = async (query: string | null, filter: object = {}) => {
      const match = query === null ? null : wordQuery(query, orgToken(orgId));
      const [result] = await db.batch([interactions(orgId, match, { userId: "ann", ...filter }, 10)]);
      return (result?.rows ?? []).map((row) =>
        row instanceof Object ? Reflect.get(row, "interaction_id") : null,
      );
    };
    expect((await ids("refunds")).toSorted()).toEqual([1, 3]);
    expect(await ids("bye")).toEqual([]);
    expect(await ids(null)).toEqual([3, 2, 1]);
    expect(await ids("refund", { mostRecent: 2 })).toEqual([3]);
    expect(await ids("refund", { toSec: 1001 })).toEqual([1]);
    expect(await ids(null, { requestId: "other" })).toEqual([]);
  });
});

describe("query plans", () => {
  const { db } = new CountingD1();
  const planOf = async (statement: {
    text: string;
    params: readonly (string | number | null | ArrayBuffer)[];
  }) => {
    const [result] = await db.batch([{ ...statement, text: `EXPLAIN QUERY PLAN ${statement.text}` }]);
    return (result?.rows ?? []).map((row) =>
      row instanceof Object ? String(Reflect.get(row, "detail")) : "",
    );
  };

  it("find rows of both kinds by the word index and the row's number", async () => {
    for (const [kind, table] of [
      ["user_playbook", "user_playbooks"],
      ["agent_playbook", "agent_playbooks"],
    ] as const) {
      const match = wordQuery("anything", orgToken("o")) ?? "";
      const plan = await planOf(byWords("o", kind, match, { agentVersion: "v", statuses: [null] }, 5));
      expect(plan.some((step) => step.startsWith(`SCAN ${table}_fts VIRTUAL TABLE INDEX`))).toBe(true);
      expect(plan.filter((step) => step === "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)")).toHaveLength(2);
      expect(plan.filter((step) => /^SCAN (?:t|s)\b/.test(step))).toEqual([]);
    }
  });

  it("find vectors by their key and recent ones by their time, and no others", async () => {
    for (const kind of ["user_playbook", "agent_playbook"] as const) {
      const model = { name: "m", dimension: 8 };
      const plan = await planOf(
        byMeaning(
          { orgId: "o", kind, model, ids: [1, 2], changedSinceMs: 0, maxChanged: 200 },
          { statuses: [null] },
        ),
      );
      expect(plan).toContain("SEARCH v USING PRIMARY KEY (org_id=? AND kind=? AND entity_id=? AND model=?)");
      expect(
        plan.some((step) => /^SEARCH vectors USING .*vectors_recent \(org_id=\? AND model=\?/.test(step)),
      ).toBe(true);
      expect(plan.some((step) => /^SEARCH t USING INDEX \w+_by_id \(org_id=\? AND/.test(step))).toBe(true);
      expect(plan.filter((step) => /^SCAN (?:t|v|s|vectors)\b/.test(step))).toEqual([]);
    }
  });

  it("find a user's turns by the word index, or along the user's stream", async () => {
    const match = wordQuery("anything", orgToken("o"));
    const words = await planOf(interactions("o", match, { userId: "u", mostRecent: 5 }, 5));
    expect(words.some((step) => step.startsWith("SCAN interactions_fts VIRTUAL TABLE INDEX"))).toBe(true);
    const stream = await planOf(interactions("o", null, { userId: "u" }, 5));
    expect(stream).toEqual([
      "SEARCH t USING INDEX interactions_stream (org_id=? AND user_id=?)",
      // Whether the user is being erased: one seek a query.
      "SCALAR SUBQUERY 1",
      "SEARCH e USING PRIMARY KEY (org_id=? AND user_id=?)",
    ]);
  });
});
