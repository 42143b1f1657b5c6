/** What odd requests get: methods, paths, queries, bodies, and what the log says of them. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createApp } from "../../../src/http/app";
import { defineRoute } from "../../../src/http/define";
import { testServices } from "../../support/services";

const echo = { tag: "t", summary: "s", scope: "read", limit: "none", response: z.unknown() } as const;
const routes = [
  defineRoute({
    ...echo,
    dialect: "reflexio",
    method: "get",
    path: "/things/{id}",
    params: z.object({ id: z.string().regex(/^\d+$/) }),
    query: z.object({ limit: z.coerce.number().int().min(1).optional(), text: z.string().optional() }),
    handler: async (_, { params, query }) => ({ ...params, ...query }),
  }),
  defineRoute({
    ...echo,
    dialect: "own",
    method: "delete",
    path: "/things/{id}",
    body: z.strictObject({ reason: z.string() }),
    handler: async (_, { body }) => body,
  }),
  defineRoute({
    ...echo,
    dialect: "own",
    method: "post",
    path: "/things/{id}/again",
    handler: async ({ services }) => ({ run: services.ids.random("run") }),
  }),
  defineRoute({
    ...echo,
    dialect: "own",
    method: "get",
    path: "/broken",
    handler: async () => JSON.parse('my "secret" diary'),
  }),
];

const lines: Record<string, unknown>[] = [];
const note = (event: string, fields = {}) => void lines.push({ event, ...fields });
const services = testServices({ log: { info: note, warn: note, error: note } });
const app = createApp<Env>(routes, () => ({ services: () => services, limits: {} }));

async function call(path: string, init: RequestInit = {}) {
  lines.length = 0;
  const request = new Request(`http://localhost${path}`, init);
  return app.fetch(request, env, createExecutionContext());
}

describe("a path", () => {
  it("that is known answers other methods with 405 and those it has", async () => {
    for (const method of ["PATCH", "PUT", "POST", "OPTIONS"]) {
      const response = await call("/things/1", { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, DELETE"]);
      expect(response.headers.get("x-correlation-id")).toMatch(/^req_/);
    }
  });

  it("answers HEAD as GET, without a body", async () => {
    const response = await call("/things/1", { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  it.each(["/things/1/", "/things", "/THINGS/1", "//things/1", "/nothing"])("%s is unknown", async (path) => {
    expect((await call(path)).status).toBe(404);
  });

  it("that is unknown is answered to its own host only", async () => {
    expect((await call("/nothing", { headers: { host: "evil.example" } })).status).toBe(403);
  });

  it("parameter that is no number is named, with its place", async () => {
    const response = await call("/things/abc");
    expect(response.status).toBe(422);
    expect(await response.json<object>()).toMatchObject({
      detail: [{ loc: ["path", "id"], pointer: "/path/id" }],
    });
  });
});

describe("a query", () => {
  it("key with a wrong value is named, with its place and what would be right", async () => {
    expect(await (await call("/things/1?limit=0")).json<object>()).toMatchObject({
      detail: [{ loc: ["query", "limit"], pointer: "/query/limit", expected: "at least 1" }],
    });
  });

  it("key given twice is refused, and one that nobody knows is passed over", async () => {
    const twice = await call("/things/1?limit=1&limit=2");
    expect([twice.status, await twice.text()]).toEqual([422, expect.stringContaining("/query/limit")]);
    expect(await (await call("/things/1?utm=x")).json()).toEqual({ id: "1" });
  });

  it("text is made well-formed and NUL-free", async () => {
    expect(await (await call("/things/1?text=a%00b%ed%a0%80")).json<object>()).toMatchObject({
      text: expect.stringMatching(/^ab\ufffd+$/),
    });
  });
});

describe("a body", () => {
  it("is read on DELETE too, and each key that does not belong is named", async () => {
    const response = await call("/things/1", { method: "DELETE", body: '{"reason":"r","a/b":1,"c":2}' });
    const { errors } = await response.json<{ errors: { pointer: string }[] }>();
    expect(errors.map(({ pointer }) => pointer)).toEqual(["/a~1b", "/c"]);
  });

  it("that is absent has its missing fields named", async () => {
    expect(await (await call("/things/1", { method: "DELETE" })).json<object>()).toMatchObject({
      status: 422,
      errors: [{ pointer: "/reason" }],
    });
  });
});

describe("an Idempotency-Key", () => {
  it("belongs to one address: the same key on another thing is refused, not answered with the first's", async () => {
    const headers = { "idempotency-key": "again" };
    const first = await call("/things/1/again", { method: "POST", headers });
    expect(first.status).toBe(200);
    const other = await call("/things/2/again", { method: "POST", headers });
    expect([other.status, await other.text()]).toEqual([422, expect.stringContaining("idempotency-key")]);
  });
});

describe("the log", () => {
  it("has one line a request: who, which route, which status, and nothing of its content", async () => {
    await call("/things/1?text=diary", { headers: { "x-playmaker-principal": "ada; agent" } });
    expect(lines).toEqual([
      {
        event: "request",
        method: "GET",
        route: "/things/{id}",
        status: 200,
        durationMs: expect.any(Number),
        orgId: "self-host-org",
        principalId: "ada",
      },
    ]);
  });

  it("names a fault without what it quotes, and the answer names nothing of it", async () => {
    const response = await call("/broken");
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining("JSON")]);
    expect(lines.map(({ event }) => event)).toEqual(["request.fault", "request"]);
    expect(lines[0]).toMatchObject({ error: "SyntaxError" });
    expect(JSON.stringify(lines)).not.toMatch(/secret|diary/);
  });
});
