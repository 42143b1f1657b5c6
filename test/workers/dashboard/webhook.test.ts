/** The webhook's page: what is wrong stands beside its field, the secret is shown once, messages say what became of them. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newKey, newOrg, signedIn, TestBrowser } from "./browser";

const PATH = "/desk/webhook";
/** Nothing listens there. */
const NOWHERE = "http://127.0.0.1:9/hook";

describe("the webhook's page", () => {
  it("sets a webhook, shows its secret once and keeps it", async () => {
    const org = await newOrg();
    const browser = await signedIn(org);
    expect((await browser.open(PATH)).html).toContain("Nothing was told yet");
    const made = await browser.submit(PATH, { url: NOWHERE, "rule.pending": "on" });
    expect([made.status, /whsec_[A-Za-z0-9+/=]{44}/.test(made.html)]).toEqual([200, true]);
    const again = await browser.open(PATH);
    expect(again.html).not.toContain("whsec_");
    expect(again.html).toContain(`value="${NOWHERE}"`);
    const saved = await browser.submit(PATH, { url: NOWHERE, "budget.reached": "on" });
    expect(saved.headers.get("location")).toBe(`${PATH}?done=saved`);
    const row = await env.DB.prepare("SELECT events FROM webhook_endpoints WHERE org_id = ?")
      .bind(org.orgId)
      .first();
    expect(row?.events).toBe('["budget.reached"]');
    const rotated = await browser.submit(`${PATH}/rotate`, {});
    expect(rotated.html).toMatch(/whsec_/);
    await browser.submit(`${PATH}/remove`, {});
    expect((await browser.open(PATH)).html).toContain("Be told what happens");
  });

  it.each([
    ["a private address", { url: "https://10.0.0.1/x", "rule.pending": "on" }, "field-url-fault"],
    ["no address", { url: " ", "rule.pending": "on" }, "field-url-fault"],
    ["no event", { url: NOWHERE }, "events-fault"],
  ])("says beside the field what is wrong with %s, and keeps what was typed", async (_, fields, fault) => {
    const browser = await signedIn(await newOrg());
    await browser.open(PATH);
    const response = await browser.submit(PATH, fields);
    expect(response.status).toBe(422);
    expect(response.html).toContain(`id="${fault}"`);
    expect(response.html).toContain(`value="${fields.url}"`);
  });

  it("says what became of a message, and that nobody took it", async () => {
    const browser = await signedIn(await newOrg());
    await browser.open(PATH);
    await browser.submit(PATH, { url: NOWHERE, "rule.pending": "on" });
    const sent = await browser.submit(`${PATH}/test`, {});
    expect(sent.headers.get("location")).toBe(`${PATH}?done=pending`);
    const page = await browser.open(`${PATH}?done=pending`);
    expect(page.html).toContain("webhook.test");
    expect(page.html).toContain("1 attempt");
    const id = /name="message_id" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
    expect((await browser.submit(`${PATH}/resend`, { message_id: id })).status).toBe(303);
    const unknown = await browser.submit(`${PATH}/resend`, { message_id: "msg_none" });
    expect([unknown.status, unknown.html.includes("There is no such message.")]).toEqual([404, true]);
  });

  it("is for administrators only", async () => {
    const org = await newOrg();
    const browser = await new TestBrowser().signIn(await newKey(org, "rita", ["reviewer"]));
    expect((await browser.open(PATH)).status).toBe(403);
    expect((await browser.open("/")).html).not.toContain(PATH);
  });
});
