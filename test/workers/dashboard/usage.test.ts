/** The page of usage and the same numbers over HTTP. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../../src/index";
import { addCount, addUsage } from "../../../src/orgs/store";
import { lastDays } from "../../../src/orgs/usage-report";
import { systemClock } from "../../../src/platform/clock";
import { apiCall, newKey, newOrg, signedIn, TestBrowser, type TestOrg } from "./browser";
import { db } from "./map-seed";

const PATH = "/desk/usage";
const [yesterday = "", today = ""] = lastDays(systemClock.nowMs(), 2);

interface Call {
  day?: string;
  task?: string;
  model?: string;
  provider?: string;
  input?: number;
  output?: number;
}

const spend = (org: TestOrg, calls: readonly Call[]) =>
  db.batch(
    calls.map((call) =>
      addUsage({
        orgId: org.orgId,
        day: call.day ?? today,
        task: call.task ?? "extract",
        provider: call.provider ?? "openai",
        model: call.model ?? "a-model",
        inputTokens: call.input ?? 1_000,
        outputTokens: call.output ?? 100,
      }),
    ),
  );

/** The API of a deployment that knows prices. */
async function priced(org: TestOrg, prices: string): Promise<Response> {
  const deployment = { ...env, MODEL_PRICES: prices };
  const request = new Request<unknown, IncomingRequestCfProperties>("http://localhost/api/usage?days=2", {
    headers: org.bearer,
  });
  return worker.fetch(request, deployment, createExecutionContext());
}

describe("the page", () => {
  it("says that the offline reasoner costs nothing, and how to have costs", async () => {
    const { html, status } = await (await signedIn(await newOrg())).open(PATH);
    expect(status).toBe(200);
    expect(html).toContain("No model was called in the last 30 days");
    expect(html).toContain("REASONER=llm");
    expect(html).toContain("Nothing was learned from in this period");
    expect(html).toMatch(/role="progressbar"[^>]*aria-valuemax="20000000"[^>]*aria-valuenow="0"/);
  });

  it("draws tokens by day and kind of work, and holds the same numbers as a table", async () => {
    const org = await newOrg();
    await spend(org, [
      { input: 1_000, output: 10 },
      { task: "shouldExtract", input: 500, output: 1 },
      { day: yesterday, task: "synthesise", input: 70, output: 7 },
    ]);
    const { html } = await (await signedIn(org)).open(`${PATH}?days=7`);
    expect([...html.matchAll(/<svg class="chart bars"[^>]*role="img"/g)]).toHaveLength(3);
    expect(html).toContain("1,570 tokens in 7 days, stacked by kind of work.");
    const segments = /aria-labelledby="inputTokens-title"[\s\S]*?<\/svg>/.exec(html)?.[0] ?? "";
    expect([...segments.matchAll(/<rect class="(s\d)"/g)].map(([, colour]) => colour)).toEqual([
      "s1",
      "s2",
      "s5",
    ]);
    // Not by colour alone: each kind but the first has a texture too.
    expect([...segments.matchAll(/url\(#(texture-\w+)\)/g)].map(([, id]) => id)).toEqual([
      "texture-extraction",
      "texture-synthesis",
    ]);
    expect(segments).toContain(": 1,500 tokens\nGate: 500\nExtraction: 1,000</title>");
    const table =
      /<caption class="visually-hidden">Usage by day<\/caption>[\s\S]*?<\/table>/.exec(html)?.[0] ?? "";
    expect([...table.matchAll(/<tr><td>(\d{4}-\d\d-\d\d)<\/td>/g)].map(([, day]) => day)).toHaveLength(7);
    expect(table).toContain(`<td>${today}</td><td class="number">2</td><td class="number">1,500</td>`);
  });

  it("says which models have no price and how to set one", async () => {
    const org = await newOrg();
    await spend(org, [{ model: "odd<model>" }]);
    const { html } = await (await signedIn(org)).open(PATH);
    expect(html).toContain("no price set");
    expect(html).toContain(
      "MODEL_PRICES=&#39;{&quot;odd&lt;model&gt;&quot;:{&quot;input&quot;:0.5,&quot;output&quot;:2}}&#39;",
    );
    expect(html).toContain("No model of this period has a price");
  });

  it("warns before the day's cap and says when it is reached", async () => {
    const org = await newOrg();
    await spend(org, [{ input: 17_000_000, output: 0 }]);
    const browser = await signedIn(org);
    expect((await browser.open(PATH)).html).toContain('class="meter warn"');
    await spend(org, [{ input: 5_000_000, output: 0 }]);
    const { html } = await browser.open(PATH);
    expect(html).toContain('class="meter bad"');
    expect(html).toContain("Every call of a model is refused and learning rests.");
  });

  it("tells what became of proposed rules, by reason", async () => {
    const org = await newOrg();
    await db.batch([
      addCount(org.orgId, today, "dropped:span_not_verbatim", 3),
      addCount(org.orgId, yesterday, "dropped:span_not_verbatim", 4),
      addCount(org.orgId, today, "<script>alert(1)</script>:\u202ex", 1),
      addCount(org.orgId, "2001-01-01", "dropped:too_long", 9),
    ]);
    const { html } = await (await signedIn(org)).open(PATH);
    expect(html).toMatch(
      /Proposed rule dropped by a check<\/td><td class="wrap">span not verbatim<\/td><td class="number">7</,
    );
    expect(html).not.toMatch(/<script>|too long/);
    expect(html).toContain("⟦U+202E⟧x");
  });

  it("shows a hostile model's name as text", async () => {
    const org = await newOrg();
    await spend(org, [
      { model: `</pre><img src=x>\u202e${"m".repeat(100_000)}`, provider: "<script>alert(1)</script>" },
    ]);
    const { html } = await (await signedIn(org)).open(PATH);
    expect(html).not.toMatch(/<img|<script>/);
    expect(html).toContain("⟦U+202E⟧mmm");
    expect(html.length).toBeLessThan(200_000);
  });

  it("counts the days that were asked for, and refuses others", async () => {
    const org = await newOrg();
    const old = lastDays(systemClock.nowMs(), 60)[0];
    await spend(org, [{ day: old ?? "", input: 123_456 }]);
    const browser = await signedIn(org);
    expect((await browser.open(PATH)).html).not.toContain("123,456");
    expect((await browser.open(`${PATH}?days=90`)).html).toContain("123,456");
    expect((await browser.open(`${PATH}?days=1000000`)).status).toBe(422);
  });

  it("is for those who may administer, and holds nothing of another org", async () => {
    const [org, other] = [await newOrg(), await newOrg()];
    await spend(org, [{ model: "quillonite" }]);
    await db.run(addCount(org.orgId, today, "dropped:quillonite", 1));
    expect((await (await signedIn(other)).open(PATH)).html).not.toContain("quillonite");
    const reviewer = await new TestBrowser().signIn(await newKey(org, "rae", ["reviewer"]));
    expect((await reviewer.open(PATH)).status).toBe(403);
  });
});

describe("GET /api/usage", () => {
  it("tells the same numbers, with cost where prices are known", async () => {
    const org = await newOrg();
    await spend(org, [
      { input: 1_000_000, output: 100_000 },
      { day: yesterday, model: "other", input: 5, output: 1 },
    ]);
    await db.run(addCount(org.orgId, today, "dropped:too_many", 2));
    const response = await priced(org, '{"a-model": {"input": 0.5, "output": 2}}');
    expect(await response.json()).toMatchObject({
      from: yesterday,
      to: today,
      today: { day: today, tokens: 1_100_000, cap: 20_000_000 },
      total: { calls: 2, input_tokens: 1_000_005, output_tokens: 100_001, cost_usd: 0.7, unpriced_tokens: 6 },
      days: [
        { day: yesterday, calls: 1, cost_usd: 0, unpriced_tokens: 6 },
        { day: today, calls: 1, cost_usd: 0.7, tasks: [{ task: "extract", input_tokens: 1_000_000 }] },
      ],
      models: [
        { model: "a-model", has_price: true, cost_usd: 0.7 },
        { model: "other", has_price: false, unpriced_tokens: 6 },
      ],
      counters: [{ name: "dropped:too_many", count: 2 }],
    });
  });

  it.each(["0", "91", "x", "1.5"])("refuses %s days", async (days) => {
    const org = await newOrg();
    const response = await apiCall("GET", `/api/usage?days=${days}`, undefined, org.bearer);
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("/query/days")]);
  });

  it("is for those who may administer", async () => {
    const org = await newOrg();
    const key = await newKey(org, "bot", ["agent"]);
    const response = await apiCall("GET", "/api/usage", undefined, { authorization: `Bearer ${key}` });
    expect(response.status).toBe(403);
  });
});
