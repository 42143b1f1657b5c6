/** The pages of user playbooks as a browser uses them. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { apiCall, newKey, newOrg, signedIn, TestBrowser, type TestOrg } from "./browser";

const PATH = "/desk/user-playbooks";

interface Rule {
  content: string;
  trigger?: string;
  user_id?: string;
  agent_version?: string;
  source_interaction_ids?: number[];
  source_span?: string;
}

/** @returns the ids of the added rules, in order */
async function addRules(org: TestOrg, ...rules: Rule[]): Promise<number[]> {
  const added = await apiCall(
    "POST",
    "/api/add_user_playbook",
    {
      user_playbooks: rules.map((rule) => ({
        agent_version: "v1",
        request_id: "r",
        user_id: "ann",
        ...rule,
      })),
    },
    org.bearer,
  );
  expect(added.status).toBe(200);
  const { results } = await env.DB.prepare(
    "SELECT user_playbook_id AS id FROM user_playbooks WHERE org_id = ? ORDER BY user_playbook_id DESC LIMIT ?",
  )
    .bind(org.orgId, rules.length)
    .all<{ id: number }>();
  return results.map(({ id }) => id).reverse();
}

const rowOf = (org: TestOrg, id: number) =>
  env.DB.prepare("SELECT * FROM user_playbooks WHERE org_id = ? AND user_playbook_id = ?")
    .bind(org.orgId, id)
    .first<{
      content: string;
      status: string | null;
      trigger: string | null;
      updated_at_ms: number;
      flags: string;
    }>();

const versionOf = async (org: TestOrg, id: number): Promise<string> =>
  String((await rowOf(org, id))?.updated_at_ms);

const set = (org: TestOrg, id: number, columns: string) =>
  env.DB.prepare(`UPDATE user_playbooks SET ${columns} WHERE org_id = ? AND user_playbook_id = ?`)
    .bind(org.orgId, id)
    .run();

async function publish(
  org: TestOrg,
  userId: string,
  sessionId: string,
  ...contents: string[]
): Promise<number[]> {
  await apiCall(
    "POST",
    "/api/publish_interaction",
    {
      user_id: userId,
      session_id: sessionId,
      interaction_data_list: contents.map((content) => ({ role: "User", content })),
    },
    org.bearer,
  );
  const { results } = await env.DB.prepare(
    "SELECT interaction_id AS id FROM interactions WHERE org_id = ? ORDER BY interaction_id DESC LIMIT ?",
  )
    .bind(org.orgId, contents.length)
    .all<{ id: number }>();
  return results.map(({ id }) => id).reverse();
}

const edit = (
  id: number,
  version: string,
  texts: Partial<Record<"trigger" | "content" | "rationale", string>>,
) => ({
  user_playbook_id: String(id),
  version,
  trigger: "",
  content: "x",
  rationale: "",
  ...texts,
});

describe("the list of user playbooks", () => {
  it("says what to do next while there is none, and that a filter found none", async () => {
    const browser = await signedIn(await newOrg());
    const { html } = await browser.open(PATH);
    expect(html).toContain("Nothing was learned yet");
    expect(html).toContain("/api/publish_interaction");
    expect((await browser.open(`${PATH}?q=tea`)).html).toContain("No rule meets this filter");
  });

  it("shows each rule with its state and user, and narrows by every filter at once", async () => {
    const org = await newOrg();
    const [tea, coffee, milk] = await addRules(
      org,
      { content: "Brew tea.", trigger: "asked for tea" },
      { content: "Roast coffee.", user_id: "bea", agent_version: "v2" },
      { content: "Warm milk." },
    );
    await set(org, milk ?? 0, `status = 'archived', flags = '["thin_support"]'`);
    const browser = await signedIn(org);
    const { html } = await browser.open(PATH);
    for (const text of [
      "Brew tea.",
      "asked for tea",
      "Roast coffee.",
      "from bea",
      "archived",
      "rests on little",
    ]) {
      expect(html).toContain(text);
    }
    const shown = async (query: string) => {
      const { html: narrowed } = await browser.open(`${PATH}?${query}`);
      return [tea, coffee, milk].filter((id) => narrowed.includes(`${PATH}?id=${id}"`));
    };
    expect(await shown("q=teas")).toEqual([tea]);
    expect(await shown("status=archived")).toEqual([milk]);
    expect(await shown("flag=any")).toEqual([milk]);
    expect(await shown("version=v2")).toEqual([coffee]);
    expect(await shown("user=bea")).toEqual([coffee]);
    expect(await shown("q=tea&user=bea")).toEqual([]);
  });

  it("keeps the filter from page to page", async () => {
    const org = await newOrg();
    const ids = await addRules(
      org,
      ...Array.from({ length: 27 }, (_, at) => ({ content: `brew tea ${at}` })),
    );
    const browser = await signedIn(org);
    const first = (await browser.open(`${PATH}?q=tea&status=current&version=&user=&flag=`)).html;
    const older = /href="([^"]+)">Older/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(older).toBe(`${PATH}?status=current&q=tea&before=${ids[2]}`);
    const second = (await browser.open(older)).html;
    expect([...second.matchAll(/ data-item/g)]).toHaveLength(2);
    expect(second).not.toContain("Older");
  });

  it("shows what is hostile as text, and a long line cut", async () => {
    const org = await newOrg();
    await addRules(org, {
      content: `<script>alert(1)</script> javascript:alert(1) \u202e${"x".repeat(15_000)}`,
      trigger: `</h2><img src=x onerror=alert(1)>`,
      user_id: `"><script>bea`,
      agent_version: `"><script>v`,
    });
    const browser = await signedIn(org);
    for (const path of [PATH, `${PATH}?q=${encodeURIComponent('"><script>')}`]) {
      const { html } = await browser.open(path);
      expect(html.replace(/<script src="[^"]+" nonce="[^"]+" defer="">/, "")).not.toMatch(
        /<script|<img|href="javascript:/i,
      );
      expect(html.length).toBeLessThan(40_000);
    }
    const { html } = await browser.open(PATH);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).toContain("⟦U+202E⟧");
  });

  it("names users to reviewers only, and lets nobody else ask for one", async () => {
    const org = await newOrg();
    const [id] = await addRules(org, { content: "Brew tea.", user_id: "secret-name" });
    const browser = await new TestBrowser().signIn(await newKey(org, "agent", ["agent"]));
    const list = (await browser.open(PATH)).html;
    expect(list).toContain("from user 1");
    expect(list).not.toContain('name="user"');
    const one = (await browser.open(`${PATH}?id=${id}`)).html;
    expect(list + one).not.toContain("secret-name");
    expect(one).not.toContain(`action="${PATH}`);
    expect((await browser.open(`${PATH}?user=secret-name`)).status).toBe(403);
  });

  it("shows nothing of another org", async () => {
    const org = await newOrg();
    const other = await signedIn(await newOrg());
    const [id] = await addRules(org, { content: "Brew quillonite." });
    for (const path of [PATH, `${PATH}?q=quillonite`, `${PATH}?user=ann`, `${PATH}?id=${id}`]) {
      expect((await other.open(path)).html).not.toContain("Brew quillonite");
    }
    const version = await versionOf(org, id ?? 0);
    const before = await rowOf(org, id ?? 0);
    const subject = { user_playbook_id: String(id), version };
    for (const [form, fields] of [
      ["save", edit(id ?? 0, version, {})],
      ["archive", { ...subject, change: "archive" }],
      ["review", { ...subject, change: "keep" }],
      ["delete", subject],
    ] as const) {
      const answer = await other.submit(`${PATH}/${form}`, fields);
      expect(answer.html).not.toContain("quillonite");
    }
    expect(await rowOf(org, id ?? 0)).toEqual(before);
  });
});

describe("the page of a user playbook", () => {
  it("marks the quoted words in the turns that prove it, and leads to their session", async () => {
    const org = await newOrg();
    const [first, second] = await publish(
      org,
      "ann",
      "s/1",
      "Hello there.",
      "From now on, brew green tea for me.",
    );
    const [id] = await addRules(org, {
      content: "Brew green tea.",
      source_interaction_ids: [first ?? 0, second ?? 0, 999_999],
      source_span: "brew green  tea",
    });
    const { html } = await (await signedIn(org)).open(`${PATH}?id=${id}`);
    expect(html).toContain("From now on, <mark>brew green tea</mark> for me.");
    expect(html).toContain(`/desk/sessions/s%2F1?turn=${second}#turn-${second}`);
    expect(html).toContain(`/desk/revocations?user_id=ann&amp;interaction_ids=${second}`);
    expect(html).toContain("1 cited turn deleted or not shown");
  });

  it("shows the piece of a long turn that holds the quote", async () => {
    const org = await newOrg();
    const [turn] = await publish(
      org,
      "ann",
      "s",
      `${"chatter ".repeat(120_000)}please brew tea${" more".repeat(1_000)}`,
    );
    const [id] = await addRules(org, {
      content: "Brew tea.",
      source_interaction_ids: [turn ?? 0],
      source_span: "please brew tea",
    });
    const { html } = await (await signedIn(org)).open(`${PATH}?id=${id}`);
    expect(html).toContain("<mark>please brew tea</mark>");
    expect(html).toContain("cut from 965,015 characters");
    expect(html.length).toBeLessThan(30_000);
  });

  it("shows no turn of another user, whoever is cited", async () => {
    const org = await newOrg();
    const [turn] = await publish(org, "bea", "s", "My pin is 4711.");
    const [id] = await addRules(org, { content: "Brew tea.", source_interaction_ids: [turn ?? 0] });
    expect((await (await signedIn(org)).open(`${PATH}?id=${id}`)).html).not.toContain("4711");
  });

  it("tells what was made from it and what happened to it", async () => {
    const org = await newOrg();
    const [id] = await addRules(org, { content: "Brew tea." });
    await apiCall(
      "POST",
      "/api/add_agent_playbook",
      { agent_playbooks: [{ agent_version: "v1", content: "Everybody brews tea." }] },
      org.bearer,
    );
    await env.DB.prepare(
      `INSERT INTO agent_playbook_sources (org_id, agent_playbook_id, user_playbook_id, source_interaction_ids)
       SELECT org_id, agent_playbook_id, ?, '[]' FROM agent_playbooks WHERE org_id = ?`,
    )
      .bind(id ?? 0, org.orgId)
      .run();
    const browser = await signedIn(org);
    await browser.open(`${PATH}?id=${id}`);
    await browser.submit(`${PATH}/archive`, {
      user_playbook_id: String(id),
      version: await versionOf(org, id ?? 0),
      change: "archive",
    });
    const { html } = await browser.open(`${PATH}?id=${id}`);
    expect(html).toContain("Everybody brews tea.");
    expect(html).toMatch(/href="\/desk\/rules\/\d+"/);
    expect(html).toMatch(/current → archived[\s\S]*written by owner/);
  });

  it("says that a rule is gone, and what is still known of it", async () => {
    const org = await newOrg();
    const [id] = await addRules(org, { content: "Brew tea." });
    const browser = await signedIn(org);
    await browser.open(`${PATH}?id=${id}`);
    const deleted = await browser.submit(`${PATH}/delete`, {
      user_playbook_id: String(id),
      version: await versionOf(org, id ?? 0),
    });
    expect([deleted.status, deleted.headers.get("location")]).toEqual([
      303,
      `${PATH}?done=deleted&rule=${id}`,
    ]);
    expect((await browser.open(`${PATH}?done=deleted&rule=${id}`)).html).toContain("is deleted for good");
    const gone = await browser.open(`${PATH}?id=${id}`);
    expect(gone.status).toBe(404);
    expect(gone.html).toContain("deleted by owner");
    const never = await browser.open(`${PATH}?id=99999`);
    expect([never.status, never.html.includes("never was")]).toEqual([404, true]);
    expect((await browser.open(`${PATH}?id=1;2`)).status).toBe(422);
    expect((await browser.open(`${PATH}?done=hacked&rule=1`)).status).toBe(422);
  });
});

describe("a form on a user playbook", () => {
  it("saves an edit as it was typed, and says so", async () => {
    const org = await newOrg();
    const [id = 0] = await addRules(org, { content: "Brew tea.\nSlowly.", trigger: "asked" });
    const browser = await signedIn(org);
    await browser.open(`${PATH}?id=${id}`);
    const version = await versionOf(org, id);
    // A browser sends line ends as two characters: nothing was changed here.
    const same = edit(id, version, { trigger: "asked", content: "Brew tea.\r\nSlowly." });
    await browser.submit(`${PATH}/save`, same);
    expect(await versionOf(org, id)).toBe(version);
    const saved = await browser.submit(
      `${PATH}/save`,
      edit(id, version, { content: "<b>Brew</b> tea.\r\nFast." }),
    );
    expect([saved.status, saved.headers.get("location")]).toEqual([303, `${PATH}?id=${id}&done=saved`]);
    expect(await rowOf(org, id)).toMatchObject({ content: "<b>Brew</b> tea.\nFast.", trigger: null });
    const { html } = await browser.open(`${PATH}?id=${id}&done=saved`);
    expect(html).toContain("The rule is saved");
    expect(html).toContain("&lt;b&gt;Brew&lt;/b&gt;");
  });

  it("is shown again with what was typed and the fault beside its field", async () => {
    const org = await newOrg();
    const [id = 0] = await addRules(org, { content: "Brew tea." });
    const browser = await signedIn(org);
    await browser.open(`${PATH}?id=${id}`);
    const version = await versionOf(org, id);
    const blank = await browser.submit(
      `${PATH}/save`,
      edit(id, version, { content: " ", rationale: "because <i>so</i>" }),
    );
    expect(blank.status).toBe(422);
    expect(blank.html).toContain("because &lt;i&gt;so&lt;/i&gt;</textarea>");
    expect(blank.html).toMatch(/id="field-content-fault">content or trigger is needed/);
    expect(blank.html).toMatch(/<details open/);
    const long = await browser.submit(`${PATH}/save`, edit(id, version, { trigger: "x".repeat(4_001) }));
    expect([long.status, long.html.includes('id="field-trigger-fault"')]).toEqual([422, true]);
    expect((await rowOf(org, id))?.content).toBe("Brew tea.");
  });

  it("tells a second editor, shows how the rule reads now, and keeps what was typed", async () => {
    const org = await newOrg();
    const [id = 0] = await addRules(org, { content: "Brew tea." });
    const browser = await signedIn(org);
    await browser.open(`${PATH}?id=${id}`);
    const seen = await versionOf(org, id);
    await apiCall(
      "PUT",
      "/api/update_user_playbook",
      { user_playbook_id: id, content: "Brew coffee." },
      org.bearer,
    );
    const late = await browser.submit(`${PATH}/save`, edit(id, seen, { content: "Brew milk." }));
    expect(late.status).toBe(412);
    expect(late.html).toContain("has changed since you opened it");
    expect(late.html).toContain("Brew coffee.");
    expect(late.html).toMatch(/name="content"[^>]*>\s*Brew milk\./);
    expect((await rowOf(org, id))?.content).toBe("Brew coffee.");
    const again = /name="version" value="(\d+)"/.exec(late.html)?.[1] ?? "";
    expect((await browser.submit(`${PATH}/save`, edit(id, again, { content: "Brew milk." }))).status).toBe(
      303,
    );
    for (const form of ["archive", "delete"]) {
      const stale = await browser.submit(`${PATH}/${form}`, {
        user_playbook_id: String(id),
        version: seen,
        change: "archive",
      });
      expect(stale.status).toBe(412);
      expect(stale.html).toContain("has changed since you opened it");
    }
    expect(await rowOf(org, id)).toMatchObject({ content: "Brew milk.", status: null });
  });

  it("archives a rule and takes it back", async () => {
    const org = await newOrg();
    const [id = 0] = await addRules(org, { content: "Brew tea." });
    const browser = await signedIn(org);
    for (const [change, status, outcome] of [
      ["archive", "archived", "archived"],
      ["restore", null, "restored"],
    ] as const) {
      expect((await browser.open(`${PATH}?id=${id}`)).html).toContain(`value="${change}"`);
      const done = await browser.submit(`${PATH}/archive`, {
        user_playbook_id: String(id),
        version: await versionOf(org, id),
        change,
      });
      expect(done.headers.get("location")).toBe(`${PATH}?id=${id}&done=${outcome}`);
      expect((await rowOf(org, id))?.status).toBe(status);
    }
  });

  it("keeps or archives what rests on something revoked, for reviewers only", async () => {
    const org = await newOrg();
    const [kept = 0, archived = 0] = await addRules(org, { content: "Brew tea." }, { content: "Warm milk." });
    for (const id of [kept, archived]) await set(org, id, `status = 'pending', flags = '["tainted"]'`);
    const editor = await new TestBrowser().signIn(await newKey(org, "eddy", ["editor"]));
    const seen = (await editor.open(`${PATH}?id=${kept}`)).html;
    expect(seen).toContain("rests on something that was revoked");
    expect(seen).not.toContain("Keep: use it again");
    const subject = async (id: number) => ({
      user_playbook_id: String(id),
      version: await versionOf(org, id),
    });
    const refused = await editor.submit(`${PATH}/review`, { ...(await subject(kept)), change: "keep" });
    expect(refused.status).toBe(403);
    const reviewer = await new TestBrowser().signIn(await newKey(org, "rita", ["reviewer"]));
    expect((await reviewer.open(`${PATH}?id=${kept}`)).html).toContain("Keep: use it again");
    const done = await reviewer.submit(`${PATH}/review`, { ...(await subject(kept)), change: "keep" });
    expect(done.headers.get("location")).toBe(`${PATH}?id=${kept}&done=kept`);
    await reviewer.submit(`${PATH}/review`, { ...(await subject(archived)), change: "archive" });
    expect(await rowOf(org, kept)).toMatchObject({ status: null, flags: "[]" });
    expect(await rowOf(org, archived)).toMatchObject({ status: "archived" });
  });

  it("offers no change of a rule that another replaced", async () => {
    const org = await newOrg();
    const [old = 0, heir = 0] = await addRules(org, { content: "Brew tea." }, { content: "Brew any tea." });
    await set(org, old, `status = 'merged', merged_into = ${heir}`);
    const { html } = await (await signedIn(org)).open(`${PATH}?id=${old}`);
    expect(html).toContain(`by #${heir}`);
    expect(html).not.toContain(`action="${PATH}`);
  });

  it("is refused without its token, from elsewhere, and to a key that may only read", async () => {
    const org = await newOrg();
    const [id = 0] = await addRules(org, { content: "Brew tea." });
    const browser = await signedIn(org);
    await browser.open(`${PATH}?id=${id}`);
    const subject = { user_playbook_id: String(id), version: await versionOf(org, id) };
    const agent = await new TestBrowser().signIn(await newKey(org, "agent", ["agent"]));
    await agent.open("/");
    for (const [form, fields] of [
      ["save", edit(id, subject.version, { content: "Hacked." })],
      ["archive", { ...subject, change: "archive" }],
      ["review", { ...subject, change: "archive" }],
      ["delete", subject],
    ] as const) {
      expect((await browser.submit(`${PATH}/${form}`, fields, { csrf: "" })).status).toBe(403);
      const elsewhere = { headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } };
      expect((await browser.submit(`${PATH}/${form}`, fields, elsewhere)).status).toBe(403);
      expect((await agent.submit(`${PATH}/${form}`, fields)).status).toBe(403);
    }
    expect(await rowOf(org, id)).toMatchObject({ content: "Brew tea.", status: null });
  });
});
