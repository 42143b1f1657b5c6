/** The pages of sessions as a browser uses them: what was said, and what was learned from each turn. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish as publishTurns } from "../../../src/interactions/publish";
import { consumeAll, learningServices } from "../learning/support";
import { newKey, newOrg, signedIn, TestBrowser, type TestOrg } from "./browser";

const PATH = "/desk/sessions";

type Turn = string | ({ role?: string; content: string } & Record<string, unknown>);

/** Publishes without a queue, so that nothing is learned before a test says so. @returns the turns' ids */
async function publish(
  org: TestOrg,
  call: { user?: string; session: string; turns: Turn[] } & Record<string, unknown>,
): Promise<number[]> {
  const { user = "ann", session, turns, ...more } = call;
  const body = publishBodySchema.parse({
    user_id: user,
    session_id: session,
    agent_version: "v1",
    interaction_data_list: turns.map((turn) => (typeof turn === "string" ? { content: turn } : turn)),
    ...more,
  });
  await publishTurns(learningServices().services, org.orgId, body);
  const { results } = await env.DB.prepare(
    "SELECT interaction_id AS id FROM interactions WHERE org_id = ? ORDER BY interaction_id DESC LIMIT ?",
  )
    .bind(org.orgId, turns.length)
    .all<{ id: number }>();
  return results.map(({ id }) => id).reverse();
}

/** Learns what waits; `RULE trigger | content` in a turn becomes a rule. */
const learn = async (org: TestOrg, answers: Parameters<typeof learningServices>[0] = {}) =>
  consumeAll(learningServices(answers).services, org.orgId);

/** The markup of one turn's card. */
const cardOf = (html: string, id: number): string =>
  new RegExp(`<li class="card turn" id="turn-${id}"[\\s\\S]*?</aside></li>`).exec(html)?.[0] ?? "";

const withoutOwnScript = (html: string): string =>
  html.replace(/<script src="[^"]+" nonce="[^"]+" defer="">/, "");

describe("the list of sessions", () => {
  it("says what to do next while there is none", async () => {
    const browser = await signedIn(await newOrg());
    const { html } = await browser.open(PATH);
    expect(html).toContain("No conversation was published yet");
    expect(html).toContain("/api/publish_interaction");
    expect((await browser.open(`${PATH}?version=v9`)).html).toContain("No session meets this filter");
  });

  it("shows each session once, by its newest call, with turns, rules and the state of learning", async () => {
    const org = await newOrg();
    await publish(org, {
      session: "first",
      turns: ["RULE brewing tea | brew tea slowly", "RULE milk | warm it", "thanks"],
      force_extraction: true,
    });
    await publish(org, { session: "second", turns: ["only chatter"], user: "bea" });
    await publish(org, { session: "third", turns: ["for evaluation"], evaluation_only: true });
    await publish(org, { session: "first", turns: ["one more"], force_extraction: true });
    await learn(org);
    const { html } = await (await signedIn(org)).open(PATH);
    const rows = [...html.matchAll(/<tr><td[\s\S]*?<\/tr>/g)].map(([row]) =>
      row
        .replace(/<[^>]+>/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
    );
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/^first ann v1 4 2 learned /);
    expect(rows[1]).toMatch(/^third ann v1 1 0 not for learning /);
    expect(rows[2]).toMatch(/^second bea v1 1 0 waiting /);
  });

  it("does not count rules that another replaced, nor those of another session of the same user", async () => {
    const org = await newOrg();
    await publish(org, { session: "a", turns: ["RULE tea | brew it"], force_extraction: true });
    await publish(org, { session: "b", turns: ["RULE milk | warm it"], force_extraction: true });
    await learn(org);
    const countsOf = async () => {
      const { html } = await (await signedIn(org)).open(PATH);
      return [...html.matchAll(/<td class="number">(\d+)<\/td>/g)].map(([, count]) => Number(count));
    };
    expect(await countsOf()).toEqual([1, 1, 1, 1]);
    await env.DB.prepare(
      "UPDATE user_playbooks SET status = 'merged' WHERE org_id = ? AND content = 'brew it'",
    )
      .bind(org.orgId)
      .run();
    expect(await countsOf()).toEqual([1, 1, 1, 0]);
  });

  it("narrows by version and user, and pages without repeats", async () => {
    const org = await newOrg();
    for (let at = 0; at < 27; at += 1) {
      await publish(org, { session: `s${at}`, turns: ["hi"], user: at % 2 === 0 ? "ann" : "bea" });
      await publish(org, { session: `s${at}`, turns: ["hi again"], user: at % 2 === 0 ? "ann" : "bea" });
    }
    await publish(org, { session: "new", turns: ["hi"], agent_version: "v2" });
    const browser = await signedIn(org);
    const namesOf = (html: string) =>
      [...html.matchAll(/href="\/desk\/sessions\/(\w+)"/g)].map(([, name]) => name);
    const first = (await browser.open(PATH)).html;
    const older = /href="([^"]+)">Older/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = (await browser.open(older)).html;
    const all = ["new", ...Array.from({ length: 27 }, (_, at) => `s${26 - at}`)];
    expect([...namesOf(first), ...namesOf(second)]).toEqual(all);
    expect(namesOf((await browser.open(`${PATH}?version=v2`)).html)).toEqual(["new"]);
    expect(namesOf((await browser.open(`${PATH}?user=bea`)).html)).toEqual(
      all.filter((name) => /^s\d*[13579]$/.test(name)),
    );
    expect(namesOf((await browser.open(`${PATH}?user=bea&version=v2`)).html)).toEqual([]);
  }, 60_000);

  it("finds a user's part of a session that users share, once", async () => {
    const org = await newOrg();
    for (const user of ["ann", "bea", "ann", "bea"]) {
      await publish(org, { session: "shared", turns: [`hi from ${user}`], user });
    }
    const browser = await signedIn(org);
    const { html } = await browser.open(`${PATH}?user=ann`);
    expect([...html.matchAll(/sessions\/shared"/g)]).toHaveLength(1);
    expect(html).toContain("ann and 1 more");
    const page = (await browser.open(`${PATH}/shared`)).html;
    expect(page).toContain("with ann");
    expect(page).toContain("with bea");
  });

  it("shows what is hostile as text, and names users to reviewers only", async () => {
    const org = await newOrg();
    await publish(org, {
      session: `"><script>alert(1)</script>\u202e`,
      turns: ["hi"],
      user: "secret-name",
      agent_version: `javascript:alert(1)<img src=x>`,
    });
    const { html } = await (await signedIn(org)).open(PATH);
    expect(withoutOwnScript(html)).not.toMatch(/<script|<img|href="javascript:/i);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧");
    expect(html).toContain("secret-name");
    const reader = await new TestBrowser().signIn(await newKey(org, "agent", ["agent"]));
    const seen = (await reader.open(PATH)).html;
    expect(seen).not.toContain("secret-name");
    expect(seen).toContain("user 1");
    expect((await reader.open(`${PATH}?user=secret-name`)).status).toBe(403);
  });
});

describe("the page of a session", () => {
  it("shows the turns in order, each beside what was learned from it", async () => {
    const org = await newOrg();
    const [asked = 0, answered = 0, taught = 0] = await publish(org, {
      session: "s",
      turns: [
        { role: "User", content: "Make me tea." },
        { role: "Assistant", content: "Here it is." },
        { role: "User", content: "RULE brewing tea | brew tea slowly" },
      ],
      force_extraction: true,
    });
    const browser = await signedIn(org);
    expect(cardOf((await browser.open(`${PATH}/s`)).html, taught)).toContain("waiting");
    await learn(org);
    const { html } = await browser.open(`${PATH}/s`);
    expect(html.indexOf("Make me tea.")).toBeLessThan(html.indexOf("Here it is."));
    expect(html.indexOf("Here it is.")).toBeLessThan(html.indexOf("RULE brewing tea"));
    for (const id of [asked, answered]) {
      expect(cardOf(html, id)).toContain("nothing to learn");
      expect(cardOf(html, id)).not.toContain("/desk/user-playbooks?id=");
    }
    expect(cardOf(html, taught)).toMatch(
      /\/desk\/user-playbooks\?id=\d+"[\s\S]*in use[\s\S]*brew tea slowly/,
    );
    expect(cardOf(html, taught)).toContain(`/desk/revocations?user_id=ann&amp;interaction_ids=${taught}`);
  });

  it("still finds what an old session taught when its user has taught hundreds of rules since", async () => {
    const org = await newOrg();
    const [taught = 0] = await publish(org, {
      session: "old",
      turns: ["RULE tea | brew it"],
      force_extraction: true,
    });
    await learn(org);
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800)
       INSERT INTO user_playbooks (org_id, user_playbook_id, user_id, agent_version, request_id, playbook_name,
         created_at, updated_at_ms, content, source_interaction_ids, flags, scope, search_text)
       SELECT ?, 1000 + i, 'ann', 'v1', 'r', 'p', 1, 1, 'filler', '[999999]', '[]', 'o', '' FROM n`,
    )
      .bind(org.orgId)
      .run();
    const browser = await signedIn(org);
    expect(cardOf((await browser.open(`${PATH}/old`)).html, taught)).toContain("brew it");
    expect((await browser.open(PATH)).html).toMatch(/old<\/a>[\s\S]*learned/);
  });

  it("tells a rule that was replaced from the one that took its place", async () => {
    const org = await newOrg();
    const [taught = 0] = await publish(org, {
      session: "s",
      turns: ["RULE tea | brew it"],
      force_extraction: true,
    });
    await learn(org);
    await env.DB.prepare("UPDATE user_playbooks SET status = 'merged', merged_into = 77 WHERE org_id = ?")
      .bind(org.orgId)
      .run();
    const { html } = await (await signedIn(org)).open(`${PATH}/s`);
    expect(cardOf(html, taught)).toMatch(/merged[\s\S]*href="\/desk\/user-playbooks\?id=77"/);
  });

  it("says what became of turns that were not learned from, and leads admins to the dead letter", async () => {
    const org = await newOrg();
    const [dead = 0] = await publish(org, { session: "s", turns: ["RULE a | b"], force_extraction: true });
    await learn(org, {
      answers: {
        extract: () => ({
          playbooks: [
            {
              trigger: "a",
              content: "b",
              rationale: "c",
              evidence_kind: "correction",
              evidence_refs: ["T99"],
            },
          ],
        }),
      },
    });
    const [letter] = (
      await env.DB.prepare("SELECT dead_letter_id AS id FROM dead_letters WHERE org_id = ?")
        .bind(org.orgId)
        .all<{ id: string }>()
    ).results;
    const [evaluated = 0] = await publish(org, { session: "s", turns: ["x"], evaluation_only: true });
    const owner = (await (await signedIn(org)).open(`${PATH}/s`)).html;
    expect(cardOf(owner, dead)).toContain("given up");
    expect(cardOf(owner, dead)).toContain(`/desk/dead-letters#letter-${letter?.id}`);
    expect(cardOf(owner, evaluated)).toContain("not for learning");
    const reviewer = await new TestBrowser().signIn(await newKey(org, "rita", ["reviewer"]));
    expect((await reviewer.open(`${PATH}/s`)).html).not.toContain("/desk/dead-letters#");
  });

  it("marks revoked turns and offers no second revocation", async () => {
    const org = await newOrg();
    const [one = 0, two = 0] = await publish(org, { session: "s", turns: ["hi", "ho"] });
    await env.DB.prepare(
      `INSERT INTO revocations (org_id, revocation_id, kind, user_id, interaction_ids, reason, principal_id,
         created_at, state, touched) VALUES (?, 'rev', 'interaction', 'ann', ?, 'x', 'x', 1, 'done', '{}')`,
    )
      .bind(org.orgId, JSON.stringify([one]))
      .run();
    const { html } = await (await signedIn(org)).open(`${PATH}/s`);
    expect(cardOf(html, one)).toContain("revoked");
    expect(cardOf(html, one)).not.toContain("/desk/revocations");
    expect(cardOf(html, two)).toContain("/desk/revocations");
  });

  it("shows tools, applied rules, actions, images and experts' answers, a bounded number of each", async () => {
    const org = await newOrg();
    const [turn = 0] = await publish(org, {
      session: "s",
      turns: [
        {
          role: "Assistant",
          content: "Done.",
          tools_used: Array.from({ length: 30 }, (_, at) => ({ tool_name: `tool-${at}`, status: "ok" })),
          citations: [
            { kind: "agent_playbook", real_id: "12", tag: "ap-12", title: "Be brief" },
            { kind: "user_playbook", real_id: 7, tag: "up-7" },
            { kind: "playbook", real_id: "3", tag: "ap-3" },
            { kind: "playbook", real_id: "javascript:alert(1)", tag: "x", title: "<img src=x>" },
          ],
          user_action: "click",
          user_action_description: "on the button",
          interacted_image_url: "https://images.example/x.png",
          expert_content: "Say it shorter.",
        },
      ],
    });
    const card = cardOf((await (await signedIn(org)).open(`${PATH}/s`)).html, turn);
    expect(card).toContain("tool-19 (ok) and 10 more");
    expect(card).not.toContain("tool-20");
    for (const href of ["/desk/rules/12", "/desk/user-playbooks?id=7", "/desk/rules/3"]) {
      expect(card).toContain(`href="${href}"`);
    }
    expect(card).toContain("playbook javascript:alert(1) &lt;img src=x&gt;");
    for (const text of ["click: on the button", "https://images.example/x.png", "Say it shorter."]) {
      expect(card).toContain(text);
    }
    expect(card).not.toMatch(/href="(?:https|javascript):/);
  });

  it("cuts a turn of a megabyte, and names what is hidden in it", async () => {
    const org = await newOrg();
    const [turn = 0] = await publish(org, {
      session: "s",
      turns: [`<script>alert(1)</script>\u202e${"x".repeat(999_000)}`],
    });
    const { html } = await (await signedIn(org)).open(`${PATH}/s`);
    expect(html.length).toBeLessThan(20_000);
    expect(withoutOwnScript(html)).not.toContain("<script");
    expect(cardOf(html, turn)).toContain("&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧");
    expect(cardOf(html, turn)).toContain("Cut from 999,026 characters");
  });

  it("pages through a long session, and opens it at a turn", async () => {
    const org = await newOrg();
    const ids = await publish(org, {
      session: "s",
      turns: Array.from({ length: 120 }, (_, at) => `turn ${at}`),
    });
    const browser = await signedIn(org);
    const shown = (html: string) => [...html.matchAll(/id="turn-(\d+)"/g)].map(([, id]) => Number(id));
    const seen: number[] = [];
    for (let path = `${PATH}/s`; path !== ""; ) {
      const { html } = await browser.open(path);
      seen.push(...shown(html));
      path = /href="([^"]+)">Next turns/.exec(html)?.[1] ?? "";
    }
    expect(seen).toEqual(ids);
    const target = ids[80] ?? 0;
    const { html } = await browser.open(`${PATH}/s?turn=${target}`);
    expect(shown(html)[0]).toBe(ids[75]);
    expect(shown(html)).toContain(target);
    expect(html).toContain("First turns");
  });

  it("is found under any name, and says so where there is none", async () => {
    const org = await newOrg();
    const names = ["a/b?c#d %41%2F", "..", ".", "<b>", " spaced ", "ünï 🙂", "%"];
    for (const name of names) await publish(org, { session: name, turns: [`said in ${name}`] });
    const browser = await signedIn(org);
    const { html } = await browser.open(PATH);
    const hrefs = [...html.matchAll(/<td class="wrap"><a href="([^"]+)"/g)].map(([, href]) =>
      (href ?? "").replaceAll("&amp;", "&"),
    );
    expect(hrefs).toHaveLength(names.length);
    for (const [at, href] of hrefs.entries()) {
      const page = await browser.open(href);
      const name = names.toReversed()[at] ?? "";
      expect([
        name,
        page.status,
        page.html.includes(`said in ${name.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}`),
      ]).toEqual([name, 200, true]);
      expect((await browser.open(`${PATH}?session=${encodeURIComponent(name)}`)).status).toBe(200);
    }
    const none = await browser.open(`${PATH}/nothing-here`);
    expect([none.status, none.html.includes("There is no such session")]).toEqual([404, true]);
    expect((await browser.open(`${PATH}/s?from=-1`)).status).toBe(422);
  });

  it("shows nothing of another org, also where the same session and user have the same name", async () => {
    const org = await newOrg();
    const rival = await newOrg();
    await publish(org, { session: "s", turns: ["RULE quillonite | say quillonite"], force_extraction: true });
    await learn(org);
    await publish(rival, { session: "s", turns: ["RULE tea | brew it"], force_extraction: true });
    const browser = await signedIn(rival);
    for (const path of [PATH, `${PATH}?user=ann`, `${PATH}/s`, `${PATH}?session=s`]) {
      const { status, html } = await browser.open(path);
      expect([path, status, html.includes("quillonite")]).toEqual([path, 200, false]);
    }
  });
});
