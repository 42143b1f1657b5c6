/** The documentation as it is served: open, light, self-contained, and the same as the routes. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { JOBS } from "../../../src/dashboard/docs/jobs";
import worker from "../../../src/index";
import { routes } from "../../../src/routes";
import { apiCall, newOrg, signedIn } from "./browser";

/** The page must stay light on a telephone. */
const MAX_BYTES = 400_000;

const page = async () => {
  const response = await apiCall("GET", "/docs");
  return { response, html: await response.text() };
};

describe("the page of the API", () => {
  it("is open, holds every route, and is light", async ({ task }) => {
    const { response, html } = await page();
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    for (const { method, path, dialect } of routes) {
      if (dialect !== "page")
        expect(html).toContain(`data-method="${method.toUpperCase()}" data-path="${path}"`);
    }
    expect(html.length).toBeLessThan(MAX_BYTES);
    Object.assign(task.meta, { measured: `${html.length} bytes` });
  });

  it("loads nothing but the desk's own style and script, under a nonce of its own answer", async () => {
    const [first, second] = [await page(), await page()];
    const nonceOf = ({ html }: { html: string }) =>
      new Set([...html.matchAll(/nonce="([^"]+)"/g)].map(([, nonce]) => nonce));
    expect(nonceOf(first).size).toBe(1);
    expect(nonceOf(first)).not.toEqual(nonceOf(second));
    const [nonce] = nonceOf(first);
    expect(first.response.headers.get("content-security-policy")).toContain(`script-src 'nonce-${nonce}'`);
    const loaded = [...first.html.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(
      ([, address]) => address ?? "",
    );
    expect(loaded.filter((address) => !/^(\/|data:,)/.test(address))).toEqual([]);
    expect(first.html).not.toMatch(/ style="| on\w+="/);
  });

  it("sets no cookie and knows nobody", async () => {
    const org = await newOrg();
    const browser = await signedIn(org);
    const { html } = await browser.open("/docs");
    expect(html).not.toContain(org.orgId);
    expect(html).not.toContain('name="csrf"');
    expect((await page()).response.headers.get("set-cookie")).toBeNull();
  });

  it("has anchors that its navigation and its examples lead to", async () => {
    const { html } = await page();
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) expect(ids.has(target), target).toBe(true);
    expect(ids.size).toBe([...html.matchAll(/ id="([^"]+)"/g)].length);
  });

  it("is closed where the deployment is", async () => {
    const without: Record<string, unknown> = { ENVIRONMENT: undefined };
    const closed: Env = { ...env, ...without };
    for (const path of ["/docs", "/llms.txt", "/docs/publish.md"]) {
      const response = await worker.fetch(
        new Request<unknown, IncomingRequestCfProperties>(`https://playmaker.example${path}`),
        closed,
        createExecutionContext(),
      );
      expect(response.status, path).toBe(503);
    }
  });
});

describe("the text for language models", () => {
  it("is plain text, and its links lead somewhere", async () => {
    const response = await apiCall("GET", "/llms.txt");
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await response.text();
    const links = new Set([...text.matchAll(/\]\((\/[^)]+)\)/g)].map(([, link]) => link ?? ""));
    expect(links.size).toBe(JOBS.length + 2);
    for (const link of links) expect((await apiCall("GET", link)).status, link).toBe(200);
  });

  it("has a Markdown page a job", async () => {
    for (const { id, title } of JOBS) {
      const response = await apiCall("GET", `/docs/${id}.md`);
      expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect((await response.text()).startsWith(`# Playmaker: ${title}\n`)).toBe(true);
    }
  });
});

it("programs are told at / where the documentation is", async () => {
  expect(await (await apiCall("GET", "/")).json()).toEqual({
    service: "playmaker",
    docs: "/docs",
    health: "/health",
  });
});
