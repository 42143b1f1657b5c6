/** The page of keys: made once, shown once, revoked with open eyes. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { apiCall, newKey, newOrg, signedIn, TestBrowser, type TestOrg } from "./browser";

const ALL_ROLES = { role_agent: "on", role_editor: "on", role_reviewer: "on", role_owner: "on" };
const ONCE = /name="once" value="([^"]+)"/;
const SHOWN_KEY = /<pre id="new-key">(pm_[a-z2-7]+)<\/pre>/;

let org: TestOrg;
let owner: TestBrowser;

beforeEach(async () => {
  org = await newOrg();
  owner = await signedIn(org);
});

const onceOf = async (): Promise<string> => ONCE.exec((await owner.open("/desk/keys")).html)?.[1] ?? "";
const fieldsOf = async (fields: Record<string, string>) => ({
  once: await onceOf(),
  name: "support bot",
  principal_id: "support-bot",
  role_agent: "on",
  ...fields,
});
const keysOf = async (): Promise<
  { key_id: string; name: string; roles: string[]; expires_at: number | null }[]
> => (await (await apiCall("GET", "/api/keys", undefined, org.bearer)).json<{ keys: [] }>()).keys;
const works = async (key: string): Promise<number> =>
  (await apiCall("POST", "/api/get_user_playbooks", {}, { authorization: `Bearer ${key}` })).status;

describe("the list", () => {
  it("shows each key with whom it stands for, and which one the reader is signed in with", async () => {
    await newKey(org, "bot-7", ["agent"]);
    const { html } = await owner.open("/desk/keys");
    expect(html).toContain("bot-7");
    expect(html.match(/>Yours</g)).toHaveLength(1);
    expect(html).not.toContain(org.key);
  });

  it("counts the browsers that are signed in with a key", async () => {
    await signedIn(org);
    const { html } = await owner.open("/desk/keys");
    expect(/<td class="number">(\d+)<\/td>/.exec(html)?.[1]).toBe("2");
  });

  it("shows hostile names as text, with hidden characters named", async () => {
    await apiCall(
      "POST",
      "/api/keys",
      { name: "<script>alert(1)</script>\u202egnp", principal_id: "x", roles: ["agent"] },
      org.bearer,
    );
    const { html } = await owner.open("/desk/keys");
    expect(html).not.toContain("<script>alert(1)");
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧gnp");
  });

  it("says what to do where no key has ended", async () => {
    const { html } = await owner.open("/desk/keys?show=ended");
    expect(html).toContain("No key was revoked or has expired");
  });

  it("turns pages of fifty without skipping a key", async () => {
    for (let made = 0; made < 51; made += 1) {
      await env.DB.prepare(
        `INSERT INTO api_keys (key_hash, org_id, key_id, name, principal_id, roles, scopes, created_by, created_at)
         VALUES (?, ?, ?, ?, 'p', '["agent"]', '["read"]', 'test', ?)`,
      )
        .bind(
          `${org.orgId}-${made}`,
          org.orgId,
          `key_${String(made).padStart(3, "0")}`,
          `n${made}`,
          1_000 + (made >> 1),
        )
        .run();
    }
    const first = await owner.open("/desk/keys");
    const next = /href="(\/desk\/keys\?after=[^"]+)"/.exec(first.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = await owner.open(next);
    const names = [...`${first.html}${second.html}`.matchAll(/<strong>(n\d+|first key)<\/strong>/g)];
    expect(new Set(names.map(([, name]) => name)).size).toBe(52);
    expect(names).toHaveLength(52);
  });

  it("is for owners: another role has neither the page nor its link", async () => {
    const reviewer = await new TestBrowser().signIn(await newKey(org, "rita", ["reviewer"]));
    expect((await reviewer.open("/desk/keys")).status).toBe(403);
    expect((await reviewer.open("/")).html).not.toContain('href="/desk/keys"');
    expect((await reviewer.submit("/desk/keys", await fieldsOf({}))).status).toBe(403);
  });

  it("holds no key of another org", async () => {
    const other = await newOrg();
    await newKey(other, "stranger-9", ["agent"]);
    expect((await owner.open("/desk/keys")).html).not.toContain("stranger-9");
    expect((await owner.open(`/desk/keys/revoke?key=${other.keyId}`)).status).toBe(404);
    expect((await owner.submit("/desk/keys/revoke", { key: other.keyId })).status).toBe(404);
    expect(await works(other.key)).toBe(200);
  });
});

describe("a new key", () => {
  it("is shown on the answer, works, and is on no later page", async () => {
    const answer = await owner.submit("/desk/keys", await fieldsOf({ expires_in_days: "30" }));
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"]);
    const key = SHOWN_KEY.exec(answer.html)?.[1] ?? "";
    expect(await works(key)).toBe(200);
    expect((await owner.open("/desk/keys")).html).not.toContain(key);
    const made = (await keysOf()).find(({ name }) => name === "support bot");
    expect(made?.roles).toEqual(["agent"]);
    expect(made?.expires_at).not.toBeNull();
  });

  it("takes its roles from the boxes that are ticked", async () => {
    await owner.submit("/desk/keys", await fieldsOf({ ...ALL_ROLES, role_owner: "" }));
    expect((await keysOf()).find(({ name }) => name === "support bot")?.roles).toEqual([
      "agent",
      "editor",
      "reviewer",
    ]);
  });

  it("is made once, however often its form comes, and is not shown again", async () => {
    const fields = await fieldsOf({});
    const [first, second] = [
      await owner.submit("/desk/keys", fields),
      await owner.submit("/desk/keys", { ...fields, name: "another name" }),
    ];
    expect([first.status, second.status]).toEqual([201, 409]);
    expect(second.html).toContain("support bot");
    expect(SHOWN_KEY.test(second.html)).toBe(false);
    expect(await keysOf()).toHaveLength(2);
  });

  it("is not made by a form with faults: each stands beside its field, and what was typed is kept", async () => {
    const answer = await owner.submit("/desk/keys", {
      once: await onceOf(),
      name: "  ",
      principal_id: 'a b"><script>',
      role_reviewer: "",
      expires_in_days: "0",
    });
    expect(answer.status).toBe(422);
    for (const field of ["name", "principal_id", "roles", "expires_in_days"]) {
      expect(answer.html, field).toContain(`id="field-${field}-fault"`);
    }
    expect(answer.html).toContain('value="a b&quot;&gt;&lt;script&gt;"');
    expect(answer.html).toContain("Tick at least one role.");
    expect(await keysOf()).toHaveLength(1);
  });

  it("keeps the boxes that were ticked", async () => {
    const answer = await owner.submit(
      "/desk/keys",
      await fieldsOf({ name: "", role_reviewer: "on", role_agent: "" }),
    );
    expect(/name="role_reviewer" value="on" checked/.test(answer.html)).toBe(true);
    expect(/name="role_agent" value="on" checked/.test(answer.html)).toBe(false);
  });

  it("is not made without the token of the form", async () => {
    const fields = await fieldsOf({});
    expect((await owner.submit("/desk/keys", fields, { csrf: "x" })).status).toBe(403);
    expect(await keysOf()).toHaveLength(1);
  });
});

describe("revoking", () => {
  it("asks first, then ends the key and its sign-ins, and says so", async () => {
    const key = await newKey(org, "rita", ["reviewer"]);
    const rita = await new TestBrowser().signIn(key);
    const keyId = (await keysOf()).find(({ name }) => name === "rita")?.key_id ?? "";
    const asked = await owner.open(`/desk/keys/revoke?key=${keyId}`);
    expect(asked.html).toContain("1 browser is");
    const done = await owner.submit("/desk/keys/revoke", { key: keyId });
    expect([done.status, done.headers.get("location")]).toEqual([303, `/desk/keys?revoked=${keyId}`]);
    expect((await owner.open(`/desk/keys?revoked=${keyId}`)).html).toContain("is revoked.");
    expect(await works(key)).toBe(401);
    expect(await rita.open("/desk/user-playbooks").then(({ html }) => html)).not.toContain("Sign out");
    expect((await owner.open(`/desk/keys/revoke?key=${keyId}`)).html).toContain("This key is revoked");
  });

  it("never ends the last owner's key: the page and the API say why", async () => {
    await newKey(org, "rita", ["reviewer"]);
    const asked = await owner.open(`/desk/keys/revoke?key=${org.keyId}`);
    expect(asked.html).toContain("last key of an owner");
    expect(asked.html).not.toContain("Revoke the key");
    const refused = await owner.submit("/desk/keys/revoke", { key: org.keyId });
    expect([refused.status, refused.html.includes("last key of an owner")]).toEqual([409, true]);
    const api = await apiCall("DELETE", `/api/keys/${org.keyId}`, undefined, org.bearer);
    expect([api.status, (await api.text()).includes("Create another owner")]).toEqual([409, true]);
    expect(await works(org.key)).toBe(200);
  });

  it("counts no expired and no revoked key as another owner's", async () => {
    await newKey(org, "second", ["owner"]);
    const second = (await keysOf()).find(({ name }) => name === "second")?.key_id ?? "";
    await env.DB.prepare("UPDATE api_keys SET expires_at = 1 WHERE org_id = ? AND key_id = ?")
      .bind(org.orgId, second)
      .run();
    expect((await owner.submit("/desk/keys/revoke", { key: org.keyId })).status).toBe(409);
    expect((await owner.submit("/desk/keys/revoke", { key: second })).status).toBe(303);
    expect((await owner.submit("/desk/keys/revoke", { key: org.keyId })).status).toBe(409);
  });

  it("of the key that the reader is signed in with says so first, and leads to the sign-in page", async () => {
    await newKey(org, "second", ["owner"]);
    const asked = await owner.open(`/desk/keys/revoke?key=${org.keyId}`);
    expect(asked.html).toContain("You are signed in with this key.");
    const done = await owner.submit("/desk/keys/revoke", { key: org.keyId });
    expect([done.status, done.headers.get("location")]).toEqual([303, "/sign-in?out=1"]);
  });

  it("warns where every other owner's key will expire", async () => {
    await apiCall(
      "POST",
      "/api/keys",
      { name: "second", principal_id: "s", roles: ["owner"], expires_in_days: 3 },
      org.bearer,
    );
    expect((await owner.open(`/desk/keys/revoke?key=${org.keyId}`)).html).toContain("nobody could make keys");
  });

  it("of two owners' keys at once leaves one", async () => {
    const second = await newKey(org, "second", ["owner"]);
    const secondId = (await keysOf()).find(({ name }) => name === "second")?.key_id ?? "";
    const statuses = await Promise.all(
      [
        [org.key, secondId],
        [second, org.keyId],
      ].map(
        async ([key, id]) =>
          (await apiCall("DELETE", `/api/keys/${id}`, undefined, { authorization: `Bearer ${key}` })).status,
      ),
    );
    const { results } = await env.DB.prepare(
      "SELECT key_id FROM api_keys WHERE org_id = ? AND revoked_at IS NULL",
    )
      .bind(org.orgId)
      .all();
    expect(results).toHaveLength(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it("twice leaves one line in the audit trail", async () => {
    await newKey(org, "bot", ["agent"]);
    const keyId = (await keysOf()).find(({ name }) => name === "bot")?.key_id ?? "";
    for (let time = 0; time < 2; time += 1) {
      expect((await owner.submit("/desk/keys/revoke", { key: keyId })).status).toBe(303);
    }
    const { results } = await env.DB.prepare("SELECT 1 FROM audit WHERE org_id = ? AND action = 'revoke.key'")
      .bind(org.orgId)
      .all();
    expect(results).toHaveLength(1);
  });
});
