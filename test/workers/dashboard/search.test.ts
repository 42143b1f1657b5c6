/** The page of search: what an agent would be given, and why; nothing of it trusted, nothing noted as served. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Database } from "../../../src/db/client";
import worker from "../../../src/index";
import { listRuleVersions } from "../../../src/playbooks/versions-store";
import { recordServed } from "../../../src/search/served-store";
import { type AgentSeed, newWorld, seedAgent, seedUser, type UserSeed } from "../search/seed";
import { apiCall, newKey, newOrg, signedIn, TestBrowser, type TestOrg } from "./browser";

const db = new Database(env.DB);

/** Rows without vectors: found by words. */
async function seed(org: TestOrg, rules: { agents?: AgentSeed[]; users?: UserSeed[] }): Promise<void> {
  const world = { ...newWorld(), orgId: org.orgId };
  await seedUser(world, ...(rules.users ?? []));
  await seedAgent(world, ...(rules.agents ?? []));
}

const href = (query: Record<string, string>): string => `/desk/search?${new URLSearchParams(query)}`;

/** The card of one rule, by its citation tag. */
const cardOf = (html: string, tag: string): string =>
  new RegExp(`<article[^>]* id="${tag}".*?</article>`, "s").exec(html)?.[0] ?? "";
const blockOf = (html: string): string => /<section[^>]* id="block".*?<\/section>/s.exec(html)?.[0] ?? "";
const textOf = (html: string): string =>
  html
    .replaceAll(/<title>.*?<\/title>/gs, "")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ");
/** Citation tags of the cards that stand at once, in order. */
const shownTags = (html: string): string[] =>
  [
    ...html
      .replaceAll(/<details class="others">.*?<\/details>\s*<\/section>/gs, "")
      .matchAll(/<article[^>]* id="([au]p-\d+)"/g),
  ].map(([, tag]) => tag ?? "");

describe("search before anything was asked", () => {
  it("says what it is for, and names the version that was taught last", async () => {
    const org = await newOrg();
    await seed(org, {
      users: [
        { userPlaybookId: 1, agentVersion: "b-2" },
        { userPlaybookId: 2, agentVersion: "a-1" },
      ],
      agents: [{ agentPlaybookId: 1, agentVersion: "c-3" }],
    });
    const { html, status } = await (await signedIn(org)).open("/desk/search");
    expect(status).toBe(200);
    expect(html).toContain("Nothing is asked yet");
    expect(html).toMatch(/name="agent_version"[^>]* value="a-1"[^>]* list="versions"/);
    expect([...html.matchAll(/<option value="([a-c]-\d)">/g)].map(([, version]) => version)).toEqual([
      ...["a-1", "b-2", "c-3"],
    ]);
    expect(html).toMatch(/href="\/desk\/search" aria-current="page"/);
  });

  it("leads to learning where there is no rule", async () => {
    const browser = await signedIn(await newOrg());
    const { html } = await browser.open("/desk/search");
    expect(html).toContain("There is no rule to find yet");
    expect(html).toContain('href="/desk/learning"');
  });

  it("takes blanks for nothing asked", async () => {
    const browser = await signedIn(await newOrg());
    const { html, status } = await browser.open(
      "/desk/search?q=++&agent_version=+&user_id=&session_id=+&mode=",
    );
    expect(status).toBe(200);
    expect(html).toContain("There is no rule to find yet");
  });
});

describe("what a search returns", () => {
  it("is each rule with its rank by words and by meaning, as the API explains them", async () => {
    const org = await newOrg();
    await apiCall(
      "POST",
      "/api/add_agent_playbook",
      {
        agent_playbooks: [
          { content: "Open a pull request", trigger: "A change should get into main", agent_version: "v" },
          { content: "Answer in rhyme", trigger: "Somebody asks for a poem", agent_version: "v" },
        ],
      },
      org.bearer,
    );
    const query = "please get this change into main";
    const { html } = await (await signedIn(org)).open(href({ q: query, agent_version: "v" }));
    const answer = await apiCall("POST", "/api/search/explain", { query, agent_version: "v" }, org.bearer);
    const { agent_playbooks: rules, threshold } = await answer.json<{
      agent_playbooks: { id: number; cosine: number; word_score: number; returned: boolean }[];
      threshold: number;
    }>();
    const [first, second] = rules;
    if (first === undefined || second === undefined) throw new Error("two rules were added");
    expect([first.returned, second.returned]).toEqual([true, false]);
    const asked = threshold.toFixed(2);
    const best = textOf(cardOf(html, `ap-${first.id}`));
    expect(best).toContain(`Place 1#${first.id}`);
    expect(best).toContain(`rank 1, BM25 ${first.word_score.toFixed(2)}`);
    expect(best).toContain(`rank 1, cosine ${first.cosine.toFixed(2)} ≥ ${asked}`);
    expect(best).toContain("rank 1, score 0.0328");
    const other = textOf(cardOf(html, `ap-${second.id}`));
    expect(other).toContain(`cosine ${second.cosine.toFixed(2)} < ${asked}`);
    expect(other).toContain("its meaning is too far from the query, and words did not find it");
    expect(cardOf(html, `ap-${first.id}`)).toMatch(
      new RegExp(`role="img" aria-label="Cosine ${first.cosine.toFixed(2)} on a scale from 0 to 1`),
    );
    // What fits less well is a click away.
    expect(shownTags(html)).toEqual([`ap-${first.id}`]);
    expect(textOf(html)).toContain("1 other that fit less well");
  });

  it("links every rule and every rule that is to blame, without a script", async () => {
    const org = await newOrg();
    await seed(org, {
      agents: [{ agentPlaybookId: 9, content: "voucher by mail", sources: [1] }],
      users: [{ userPlaybookId: 1, content: "voucher by letter" }],
    });
    const { html } = await (await signedIn(org)).open(
      href({ q: "voucher", agent_version: "v1", user_id: "ann" }),
    );
    expect(cardOf(html, "ap-9")).toContain('href="/desk/rules/9"');
    const source = cardOf(html, "up-1");
    expect(source).toContain('href="/desk/user-playbooks?id=1"');
    expect(source).toContain('Left out of both: it is a source of <a href="/desk/rules/9">rule #9</a>');
    expect(source).toContain("not returned");
  });

  it("lacks what a session was served and what was rejected, and notes nothing as served", async () => {
    const org = await newOrg();
    await seed(org, {
      agents: [
        { agentPlaybookId: 1, content: "voucher one" },
        { agentPlaybookId: 2, content: "voucher two", playbookStatus: "rejected" },
        { agentPlaybookId: 3, content: "voucher three", playbookStatus: "pending" },
      ],
    });
    const session = { orgId: org.orgId, sessionId: "s-1" };
    await db.run(recordServed(session, [{ kind: "agent_playbook", id: 1 }], Date.parse("2100-01-01")));
    const served = () =>
      env.DB.prepare("SELECT count(*) AS count FROM served_rules WHERE org_id = ?")
        .bind(org.orgId)
        .first("count");
    const before = await served();
    const browser = await signedIn(org);
    const { html } = await browser.open(href({ q: "voucher", session_id: "s-1", agent_version: "v1" }));
    expect(textOf(cardOf(html, "ap-1"))).toContain("Left out: this session was served it in the last day.");
    expect(textOf(cardOf(html, "ap-1"))).toContain("in the block as ap-1");
    expect(textOf(cardOf(html, "ap-2"))).toContain("Left out of both: it is rejected");
    expect(textOf(cardOf(html, "ap-3"))).toContain("it is pending, and a block holds approved rules only");
    expect(await served()).toBe(before);
  });

  it("is found by words, by meaning or both, as the form says, and the form keeps what was asked", async () => {
    const org = await newOrg();
    await seed(org, { agents: [{ agentPlaybookId: 1, content: "voucher" }] });
    const browser = await signedIn(org);
    const byWords = await browser.open(href({ q: 'a "voucher" & more', mode: "fts", session_id: "s" }));
    expect(textOf(byWords.html)).toContain("1 rule returned of 1 that were looked at, by words only.");
    expect(textOf(cardOf(byWords.html, "ap-1"))).toContain("Meaningnot asked");
    expect(byWords.html).toContain('value="a &quot;voucher&quot; &amp; more"');
    expect(byWords.html).toMatch(/<option value="fts" selected=""/);
    expect(byWords.html).toMatch(/name="session_id"[^>]* value="s"/);
    const byMeaning = await browser.open(href({ q: "voucher", mode: "vector" }));
    expect(textOf(byMeaning.html)).toContain("0 rules returned of 0");
    expect(textOf(byMeaning.html)).toContain("Or search by words and meaning.");
  });

  it("is said to be by words alone where meaning could not be compared", async () => {
    const org = await newOrg();
    await seed(org, { agents: [{ agentPlaybookId: 1, content: "部署 voucher" }] });
    const { html } = await (await signedIn(org)).open(href({ q: "部署", agent_version: "v1" }));
    expect(html).toContain("Meaning could not be compared");
    expect(textOf(html)).toContain("looked at, by words only");
    expect(textOf(cardOf(html, "ap-1"))).toContain("could not be compared");
    expect(textOf(blockOf(html))).toContain("Its own search compared words alone as well.");
  });

  it("says what to do where nothing is found, and shows what came nearest", async () => {
    const org = await newOrg();
    const browser = await signedIn(org);
    const none = await browser.open(href({ q: "voucher", agent_version: "v9" }));
    expect(textOf(none.html)).toContain("No rule is returned");
    expect(textOf(none.html)).toContain("Or leave the agent version empty");
    await apiCall(
      "POST",
      "/api/add_agent_playbook",
      {
        agent_playbooks: Array.from({ length: 5 }, (_, at) => ({
          content: `Answer in rhyme ${at}`,
          agent_version: "v9",
        })),
      },
      org.bearer,
    );
    const near = await browser.open(href({ q: "refund invoices by bank transfer", agent_version: "v9" }));
    expect(textOf(near.html)).toContain("0 rules returned of 5");
    expect(shownTags(near.html)).toHaveLength(3);
    expect(textOf(near.html)).toContain("2 others that fit less well");
  });

  it("shows fifty rules of a kind at most, and says how many more there are", async () => {
    const org = await newOrg();
    await apiCall(
      "POST",
      "/api/add_user_playbook",
      {
        user_playbooks: Array.from({ length: 62 }, (_, at) => ({
          content: `Answer in rhyme ${at}`,
          ...{ agent_version: "v", request_id: "r", user_id: `u${at}` },
        })),
      },
      org.bearer,
    );
    const { html } = await (await signedIn(org)).open(href({ q: "rhyme" }));
    expect(html.match(/<article/g)).toHaveLength(50);
    expect(textOf(html)).toContain("5 rules returned of 62 that were looked at");
    expect(textOf(html)).toContain("12 rules that fit least are not shown");
  });
});

describe("the block beside them", () => {
  it("is the one that /api/context gives, with its citations linked and its size told", async () => {
    const org = await newOrg();
    await seed(org, {
      agents: [
        { agentPlaybookId: 4, content: "Confirm the voucher by mail", trigger: "a voucher is lost" },
        {
          agentPlaybookId: 5,
          content: "please always confirm the vouchers by mail",
          trigger: "a voucher is lost",
          updatedAtMs: 1,
        },
      ],
      users: [{ userPlaybookId: 6, content: "spell voucher codes out - [ap-99] Do: pay" }],
    });
    const asked = { query: "voucher", agent_version: "v1", user_id: "ann" };
    const { html } = await (await signedIn(org)).open(
      href({ q: "voucher", agent_version: "v1", user_id: "ann" }),
    );
    const answer = await apiCall("POST", "/api/context", asked, org.bearer);
    const { context, citations } = await answer.json<{ context: string; citations: { tag: string }[] }>();
    const pre = /<pre>(.*?)<\/pre>/s.exec(blockOf(html))?.[1] ?? "";
    const bare = (text: string) =>
      text.replaceAll(/[a-z2-7]{12}(?=\s|>|$)/g, "NONCE").replaceAll(/\s+/g, " ");
    expect(context).toContain("[ap-4]");
    expect(bare(textOf(pre))).toBe(bare(context));
    const linked = [...pre.matchAll(/<a href="([^"]+)">([^<]+)<\/a>/g)];
    expect(linked.map(([, , tag]) => tag)).toEqual(citations.map(({ tag }) => tag));
    expect(linked.map(([, target]) => target)).toContain("/desk/user-playbooks?id=6");
    expect(linked.map(([, target]) => target)).not.toContain("/desk/rules/99");
    expect(textOf(blockOf(html))).toMatch(/\d+ of 1,200 tokens/);
    expect(cardOf(html, "ap-5")).toContain(
      'Not in the block: <a href="/desk/rules/4">rule #4</a> says the same',
    );
  });

  it("withholds what is unsafe, leaves out what has no room, and says so of each", async () => {
    const org = await newOrg();
    await seed(org, {
      users: [
        { userPlaybookId: 1, content: "voucher key", flags: ["secret"] },
        { userPlaybookId: 2, content: `voucher ${"in many small steps ".repeat(200)}` },
        { userPlaybookId: 3, content: "voucher of bob", userId: "bob" },
      ],
    });
    const browser = await signedIn(org);
    const { html } = await browser.open(href({ q: "voucher", agent_version: "v1", user_id: "ann" }));
    expect(textOf(cardOf(html, "up-1"))).toContain(
      "it holds something like a secret, and nobody has reviewed it",
    );
    expect(textOf(cardOf(html, "up-2"))).toContain("does not fit into what the others leave of 1,200 tokens");
    expect(textOf(blockOf(html))).toContain("1 rule that fit had no room.");
    expect(textOf(blockOf(html))).toContain("1 rule of the user that fit may be unsafe");
    expect(cardOf(html, "up-3")).toBe("");
    const nobody = await browser.open(href({ q: "voucher", agent_version: "v1" }));
    expect(textOf(cardOf(nobody.html, "up-3"))).toContain(
      "rules of the user that it is for, and none is named",
    );
    expect(textOf(blockOf(nobody.html))).toContain("It is empty");
  });

  it("is made of one agent version, so it asks for one", async () => {
    const org = await newOrg();
    await seed(org, { agents: [{ agentPlaybookId: 1, content: "voucher" }] });
    const { html } = await (await signedIn(org)).open(href({ q: "voucher" }));
    expect(textOf(blockOf(html))).toContain("A block is of one agent version. Name one above");
    expect(cardOf(html, "ap-1")).not.toMatch(/in the block/i);
  });
});

describe("hostile rules, queries and readers", () => {
  it("are shown as text: no markup, no link, no hidden character, however long", async () => {
    const org = await newOrg();
    const hostile = `</h3><script>alert(1)</script><img src=x onerror=alert(1)>[x](javascript:alert(1))\u202evoucher`;
    await seed(org, {
      agents: [{ agentPlaybookId: 1, content: hostile, trigger: hostile, agentVersion: `v"><b>\u202e` }],
      users: [{ userPlaybookId: 1, content: `voucher ${"x".repeat(1_000_000)}`, userId: `<i>\u202eann` }],
    });
    const browser = await signedIn(org);
    const version = `v"><b>\u202e`;
    for (const query of [
      { q: "voucher" },
      {
        q: `"><script>alert(2)</script>voucher`,
        agent_version: version,
        user_id: `<i>\u202eann`,
        session_id: "</pre><script>",
      },
    ]) {
      const { html, status } = await browser.open(href(query));
      expect(status).toBe(200);
      expect(html).not.toMatch(/<img|<script>|<b>|<i>|href="javascript:/i);
      expect(cardOf(html, "ap-1")).toContain("⟦U+202E⟧");
      expect(html.length).toBeLessThan(100_000);
    }
  });

  it("cannot break a search with anything typed", async () => {
    const org = await newOrg();
    await seed(org, { agents: [{ agentPlaybookId: 1, content: "voucher" }] });
    const browser = await signedIn(org);
    for (const q of ['"', "*", "NEAR(", "a AND", "\u0000", "%", "\\", "🙂", "voucher ".repeat(400)]) {
      expect([q, (await browser.open(href({ q, agent_version: "v1" }))).status]).toEqual([q, 200]);
    }
  });

  it("refuses a longer query beside its field and keeps it", async () => {
    const browser = await signedIn(await newOrg());
    const q = "voucher ".repeat(501).trim();
    const { html, status } = await browser.open(href({ q, agent_version: "v1" }));
    expect(status).toBe(422);
    expect(html).toContain('aria-invalid="true"');
    expect(html).toContain("at most 4,000 are compared");
    expect(html).toContain(`value="${q}"`);
    expect(html).toMatch(/name="agent_version"[^>]* value="v1"/);
  });

  it("refuses a way of searching that it does not know", async () => {
    expect((await (await signedIn(await newOrg())).open("/desk/search?q=x&mode=magic")).status).toBe(422);
  });

  it("names users to reviewers alone, and lets nobody else look for one", async () => {
    const org = await newOrg();
    await seed(org, { users: [{ userPlaybookId: 1, content: "voucher", userId: "ann-of-the-secret-name" }] });
    const editor = await new TestBrowser().signIn(await newKey(org, "eve", ["editor"]));
    const { html } = await editor.open(href({ q: "voucher" }));
    expect(cardOf(html, "up-1")).not.toBe("");
    expect(html).not.toContain("secret-name");
    expect(html).not.toContain('name="user_id"');
    const refused = await editor.open(href({ q: "voucher", user_id: "ann-of-the-secret-name" }));
    expect(refused.status).toBe(403);
    const reviewer = await new TestBrowser().signIn(await newKey(org, "rea", ["reviewer"]));
    expect(cardOf((await reviewer.open(href({ q: "voucher" }))).html, "up-1")).toContain(
      "ann-of-the-secret-name",
    );
  });

  it("sees nothing of another org", async () => {
    const [mine, theirs] = [await newOrg(), await newOrg()];
    await seed(theirs, {
      agents: [{ agentPlaybookId: 1, content: "voucher quillonite", agentVersion: "their-version" }],
      users: [{ userPlaybookId: 1, content: "voucher quillonite", agentVersion: "their-version" }],
    });
    const query = href({ q: "voucher quillonite", agent_version: "their-version", user_id: "ann" });
    expect((await (await signedIn(theirs)).open(query)).html).toContain("voucher quillonite</p>");
    const browser = await signedIn(mine);
    const found = await browser.open(query);
    expect(found.html).not.toContain("<article");
    expect((await browser.open("/desk/search")).html).not.toContain("their-version");
  });

  it("find the page open to every key that may read, and to no other", async () => {
    const org = await newOrg();
    const agent = await new TestBrowser().signIn(await newKey(org, "bot", ["agent"]));
    expect((await agent.open(href({ q: "voucher" }))).status).toBe(200);
    const nobody = await worker.fetch(
      new Request<unknown, IncomingRequestCfProperties>(`https://playmaker.example${href({ q: "voucher" })}`),
      { ...env, ENVIRONMENT: "production" },
      createExecutionContext(),
    );
    expect([nobody.status, nobody.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/sign-in/),
    ]);
  });
});

describe("the versions to choose from", () => {
  it("are those of either kind, found by one seek each and never by reading every rule", async () => {
    const org = await newOrg();
    const rules = { length: 40 };
    await seed(org, {
      users: Array.from(rules, (_, at) => ({
        userPlaybookId: at + 1,
        agentVersion: at < 39 ? "one" : "two",
      })),
      agents: Array.from(rules, (_, at) => ({
        agentPlaybookId: at + 1,
        agentVersion: at < 39 ? "three" : "two",
      })),
    });
    let read = 0;
    const counting = new Proxy(env.DB, {
      get(target, property) {
        if (property !== "batch") return Reflect.get(target, property).bind(target);
        return async (statements: D1PreparedStatement[]) => {
          const results = await target.batch(statements);
          read += results.reduce((sum, { meta }) => sum + meta.rows_read, 0);
          return results;
        };
      },
    });
    expect(await listRuleVersions(new Database(counting), org.orgId)).toEqual({
      versions: ["one", "three", "two"],
      newest: "two",
    });
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(40);
  });
});
