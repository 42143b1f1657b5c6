/** The page of settings: seen, changed, refused, overtaken, taken back. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { forgetConfig, loadConfig } from "../../../src/orgs/config-store";
import { testServices } from "../../support/services";
import { newKey, newOrg, signedIn, TestBrowser, type TestOrg } from "./browser";
import { decoded, fieldsOf } from "./settings-fields";

const PATH = "/desk/settings";
const PROMPT_FIELD = "user_playbook_extractor_config/extraction_definition_prompt";

let org: TestOrg;
let owner: TestBrowser;

beforeEach(async () => {
  org = await newOrg();
  owner = await signedIn(org);
});

const formOf = async (browser = owner) => fieldsOf((await browser.open(PATH)).html);
const config = async (orgId = org.orgId) => {
  forgetConfig(orgId);
  return (await loadConfig(testServices().database(orgId), orgId)).config;
};
const auditRows = async () =>
  (
    await env.DB.prepare(
      "SELECT entity_id, principal_id FROM audit WHERE org_id = ? AND action = 'set.config'",
    )
      .bind(org.orgId)
      .all()
  ).results;

describe("the form", () => {
  it("shows what is in effect after presets and defaults", async () => {
    const { html, status } = await owner.open(PATH);
    expect(status).toBe(200);
    expect(html).toContain("In effect: windows of 10, stride 8.");
    expect(html).toContain("Nobody has changed the settings yet");
  });

  it("saves what was changed, leaves a line in the audit trail, and says so", async () => {
    const answer = await owner.submit(PATH, {
      ...(await formOf()),
      extraction_preset: "long_form",
      "review_gate/min_distinct_users": "3",
    });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${PATH}?done=saved`]);
    expect(await config()).toMatchObject({ windowSize: 25, review_gate: { min_distinct_users: 3 } });
    const { html } = await owner.open(`${PATH}?done=saved`);
    expect(html).toContain("The settings are saved.");
    expect(html).toContain("In effect: windows of 25, stride 10.");
    expect(await auditRows()).toMatchObject([{ principal_id: "owner" }]);
  });

  it("sent as it was shown writes nothing", async () => {
    const answer = await owner.submit(PATH, await formOf());
    expect(answer.headers.get("location")).toBe(`${PATH}?done=unchanged`);
    expect(await auditRows()).toEqual([]);
  });

  it("with faults is shown again: each beside its field, with everything that was typed", async () => {
    const typed = {
      ...(await formOf()),
      window_size: "5",
      stride_size: "9",
      agent_context_prompt: 'A <b>"desk"</b>\r\nwith </textarea><script>alert(1)</script>',
      "user_detail_stripping_config/forcelist": "Ada",
    };
    const answer = await owner.submit(PATH, typed);
    expect(answer.status).toBe(422);
    expect(answer.html).toContain('id="field-stride_size-fault"');
    expect(answer.html).not.toContain("<script>alert(1)");
    expect(fieldsOf(answer.html)).toEqual(typed);
    expect(await auditRows()).toEqual([]);
  });

  it("fixed after a refusal is saved", async () => {
    const refused = await owner.submit(PATH, { ...(await formOf()), window_size: "5", stride_size: "9" });
    const answer = await owner.submit(PATH, { ...fieldsOf(refused.html), stride_size: "5" });
    expect(answer.headers.get("location")).toBe(`${PATH}?done=saved`);
    expect(await config()).toMatchObject({ windowSize: 5, strideSize: 5 });
  });

  it("switches learning off", async () => {
    const { user_playbook_extractor_config: _, ...fields } = await formOf();
    await owner.submit(PATH, fields);
    expect((await config()).user_playbook_extractor_config).toBeNull();
  });

  it("takes no field that it does not have, and no hash that the org never had", async () => {
    const fields = await formOf();
    await owner.submit(PATH, { ...fields, shadow_mode_enabled: "on", window_size: "12" });
    expect(await config()).toMatchObject({ windowSize: 12, shadow_mode_enabled: false });
    const foreign = await owner.submit(PATH, { ...fields, hash: "a".repeat(64), window_size: "13" });
    expect(foreign.status).toBe(422);
    expect((await config()).windowSize).toBe(12);
  });

  it("is not taken without its token", async () => {
    const fields = { ...(await formOf()), window_size: "12" };
    expect((await owner.submit(PATH, fields, { csrf: "x" })).status).toBe(403);
    expect((await config()).windowSize).toBe(10);
  });
});

describe("a second editor", () => {
  const second = async () => new TestBrowser().signIn(await newKey(org, "grace", ["owner"]));

  it("is told who was faster, sees both values, and loses nothing of what was typed", async () => {
    const mine = await formOf();
    const grace = await second();
    await grace.submit(PATH, {
      ...(await formOf(grace)),
      window_size: "40",
      "review_gate/min_distinct_users": "5",
    });
    const answer = await owner.submit(PATH, { ...mine, window_size: "20", [PROMPT_FIELD]: "My words." });
    expect(answer.status).toBe(409);
    expect(answer.html).toContain("grace changed the settings meanwhile");
    expect(answer.html).toContain("to “40”. The field keeps what you typed.");
    expect(answer.html).toContain("to “5”. The field shows the new value.");
    const again = fieldsOf(answer.html);
    expect([again.window_size, again["review_gate/min_distinct_users"], again[PROMPT_FIELD]]).toEqual([
      "20",
      "5",
      "My words.",
    ]);
    expect((await config()).windowSize).toBe(40);
    expect((await owner.submit(PATH, again)).headers.get("location")).toBe(`${PATH}?done=saved`);
    expect(await config()).toMatchObject({ windowSize: 20, review_gate: { min_distinct_users: 5 } });
  });

  it("at the same moment does not overwrite the first", async () => {
    const [mine, theirs] = [await formOf(), await second()];
    const shown = await formOf(theirs);
    const statuses = (
      await Promise.all([
        owner.submit(PATH, { ...mine, window_size: "20" }),
        theirs.submit(PATH, { ...shown, window_size: "30" }),
      ])
    ).map(({ status }) => status);
    expect(statuses.sort()).toEqual([303, 409]);
    expect(await auditRows()).toHaveLength(1);
  });
});

describe("the whole document", () => {
  const documentOf = (html: string): string =>
    decoded(/name="document"[^>]*>\n(.*?)<\/textarea>/s.exec(html)?.[1] ?? "");

  it("changes what has no field", async () => {
    const { html } = await owner.open(PATH);
    const document = JSON.parse(documentOf(html));
    const answer = await owner.submit(`${PATH}/document`, {
      hash: fieldsOf(html).hash ?? "",
      document: JSON.stringify({ ...document, skip_should_run_check: true }),
    });
    expect(answer.headers.get("location")).toBe(`${PATH}?done=saved`);
    expect((await config()).skip_should_run_check).toBe(true);
  });

  it("with faults names each by pointer and keeps the text", async () => {
    const { hash = "" } = await formOf();
    const document = '{"window_size": 0, "lineage_gc": {"days": 3}, "x</textarea>": 1}';
    const answer = await owner.submit(`${PATH}/document`, { hash, document });
    expect(answer.status).toBe(422);
    for (const pointer of ["/window_size", "/lineage_gc/days", "/x&lt;~1textarea&gt;"]) {
      expect(answer.html).toContain(`<code>${pointer}</code>`);
    }
    expect(documentOf(answer.html)).toBe(document);
  });

  it.each([
    ["no JSON", '{"window_size": }', "This is not JSON"],
    ["nested too deeply", `{"a":${"[".repeat(80)}${"]".repeat(80)}}`, "nested too deeply"],
    ["a list", "[]", "expected object"],
    [
      "larger than a row may be",
      JSON.stringify({
        tool_can_use: Array.from({ length: 12 }, () => ({
          tool_name: "t",
          tool_description: "x".repeat(90_000),
        })),
      }),
      "too large",
    ],
  ])("that is %s is refused with the reason", async (_, document, reason) => {
    const { hash = "" } = await formOf();
    const answer = await owner.submit(`${PATH}/document`, { hash, document });
    expect([answer.status, answer.html.includes(reason)]).toEqual([422, true]);
    expect(await auditRows()).toEqual([]);
  });

  it("of a second editor stays as typed, beside what the first one changed", async () => {
    const { hash = "" } = await formOf();
    await owner.submit(PATH, { ...(await formOf()), window_size: "40" });
    const document = '{"window_size": 20}';
    const answer = await owner.submit(`${PATH}/document`, { hash, document });
    expect(answer.status).toBe(409);
    expect(answer.html).toContain("Changed meanwhile by somebody else.");
    expect(answer.html).toContain("<code>/window_size</code>");
    expect(documentOf(answer.html)).toBe(document);
  });
});

describe("versions", () => {
  it("are listed with who and when, and can be used again", async () => {
    const initial = await formOf();
    await owner.submit(PATH, { ...initial, window_size: "20" });
    await owner.submit(PATH, { ...(await formOf()), window_size: "30" });
    const { html } = await owner.open(PATH);
    expect(html.match(/by owner/g)?.length).toBeGreaterThanOrEqual(2);
    const versions = [...html.matchAll(/name="version" value="([^"]+)"/g)].map(
      ([, version]) => version ?? "",
    );
    expect(versions).toHaveLength(2);
    expect(versions[1]).toBe(initial.hash);
    const { hash = "" } = fieldsOf(html);
    const answer = await owner.submit(`${PATH}/restore`, { hash, version: versions[0] ?? "" });
    expect(answer.headers.get("location")).toBe(`${PATH}?done=restored`);
    expect((await config()).windowSize).toBe(20);
    expect(await auditRows()).toHaveLength(3);
  });

  it("are not used again over a change that the reader has not seen", async () => {
    const initial = await formOf();
    await owner.submit(PATH, { ...initial, window_size: "20" });
    const { hash = "" } = await formOf();
    await owner.submit(PATH, { ...(await formOf()), window_size: "30" });
    const answer = await owner.submit(`${PATH}/restore`, { hash, version: initial.hash ?? "" });
    expect([answer.status, answer.html.includes("changed the settings meanwhile")]).toEqual([409, true]);
    expect((await config()).windowSize).toBe(30);
  });

  it("are found by an index of their own, however long the audit trail is", async () => {
    const { results } = await env.DB.prepare(
      `EXPLAIN QUERY PLAN SELECT a.entity_id FROM audit a
       WHERE a.org_id = ? AND a.action = 'set.config' ORDER BY a.row DESC LIMIT 10`,
    )
      .bind(org.orgId)
      .all();
    expect(JSON.stringify(results)).toContain("audit_of_config");
    expect(JSON.stringify(results)).not.toContain("TEMP B-TREE");
  });
});

describe("strangers", () => {
  it("of another role see no settings and change none", async () => {
    const editor = await new TestBrowser().signIn(await newKey(org, "ed", ["editor", "reviewer"]));
    expect((await editor.open(PATH)).status).toBe(403);
    for (const path of [PATH, `${PATH}/document`, `${PATH}/restore`]) {
      expect((await editor.submit(path, { hash: "a".repeat(64) })).status).toBe(403);
    }
  });

  it("of another org see nothing of it and cannot use its versions", async () => {
    await owner.submit(PATH, { ...(await formOf()), agent_context_prompt: "quillonite" });
    const secret = (await formOf()).hash ?? "";
    const other = await newOrg();
    const stranger = await signedIn(other);
    const { html } = await stranger.open(PATH);
    expect(html).not.toContain("quillonite");
    const own = fieldsOf(html).hash ?? "";
    expect((await stranger.submit(`${PATH}/restore`, { hash: own, version: secret })).status).toBe(404);
    expect((await config(other.orgId)).agent_context_prompt).toBeNull();
  });

  it("as hostile texts stand as text", async () => {
    const text = "<script>alert(1)</script>\u202egnp javascript:alert(1)";
    await owner.submit(PATH, { ...(await formOf()), agent_context_prompt: text });
    await owner.submit(PATH, { ...(await formOf()), agent_context_prompt: "calm" });
    const { html } = await owner.open(PATH);
    expect(html).not.toContain("<script>alert");
    expect(html).toContain("⟦U+202E⟧");
    expect(html).not.toMatch(/href="javascript:/);
  });
});
