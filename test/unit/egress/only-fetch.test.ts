import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { rawFetches } from "../../support/raw-fetches";

const source = new URL("../../../src/", import.meta.url);
const guarded = "platform/egress/index.ts";
/** Runs in a reader's browser, whose policy lets it reach this desk and nothing else. */
const inBrowser = /^dashboard\/browser\//;

describe("fetch", () => {
  it("is used by the guarded fetch and nowhere else in src", () => {
    const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
      (path) => /\.tsx?$/.test(path) && !inBrowser.test(path),
    );
    const users = files.filter((path) => rawFetches(readFileSync(new URL(path, source), "utf8")).length > 0);
    expect(users).toEqual([guarded]);
  });
});

describe("the search for raw fetches", () => {
  it.each([
    "await fetch(url)",
    "return fetch (url, init);",
    "const get = globalThis.fetch;",
    "self.fetch(url)",
    "const { fetch } = globalThis;",
    "createOpenAI({ fetch })",
    "client({ fetch: fetch })",
    "const call = fetch;",
    "`text $".concat("{await fetch(url)} text`"),
    "text.replace(/[`/]/, x); fetch(url)",
  ])("finds %s", (code) => {
    expect(rawFetches(code)).toHaveLength(1);
  });

  it.each([
    "await env.ASSETS.fetch(request)",
    "stub.fetch(request)",
    "export default { async fetch(request: Request, env: Env): Promise<Response> { return app(request, env); } }",
    "class A { override fetch(request: Request): Response { return new Response(); } }",
    "export default { fetch: (request) => app.fetch(request) }",
    "// fetch(url)",
    "/* await fetch(url) */",
    'const text = "fetch(url)";',
    "const text = `fetch(url)`;",
    "prefetch(url); fetcher(url); fetchAll()",
    "type F = { fetch: Egress }",
    "const fetch = deps.egress; create({ fetch })",
  ])("passes over %s", (code) => {
    expect(rawFetches(code)).toEqual([]);
  });
});
