/** Every example of the documentation, sent in order to an org that has just been made. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { createServices } from "../../../src/compose";
import { runOrder } from "../../../src/dashboard/docs/examples";
import { createApp } from "../../../src/http/app";
import { exampleAddress, filled, placeholdersOf, samplesOf, yieldedBy } from "../../../src/http/example";
import { writeDeadLetter } from "../../../src/learning/dead-letter-store";
import { routes } from "../../../src/routes";
import { testServices } from "../../support/services";

const examples = runOrder(routes);
const names = examples.map(({ route }) => `${route.method} ${route.path}`);
/** It answers 200 with `success: false`, whoever asks. */
const ALWAYS_CLOSED = "/api/my_config";
const yielded = new Map<string, string | number>();
let key = "";

/** The whole Worker, but for a receiver of webhooks that takes everything: no test calls out. */
const app = createApp<Env>(routes, (bindings, context) => ({
  services: (requestId) => ({
    ...createServices(bindings, { requestId, defer: (work) => context.waitUntil(work) }),
    webhookEgress: async () => new Response(null, { status: 204 }),
  }),
  limits: {},
}));

async function send(method: string, address: string, bearer: string, body: unknown): Promise<Response> {
  const context = createExecutionContext();
  const request = new Request(`http://localhost${address}`, {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await app.fetch(request, env, context);
  await waitOnExecutionContext(context);
  return response;
}

beforeAll(async () => {
  const response = await send("post", "/api/orgs", env.ADMIN_SECRET, { name: "examples" });
  const made = await response.json<{ org_id: string; key: { key: string } }>();
  key = made.key.key;
  // No call makes work fail: what is replayed has to be there.
  await testServices()
    .database(made.org_id)
    .run(
      writeDeadLetter(made.org_id, {
        deadLetterId: "dead_example",
        topic: "tagging",
        key: ["ada", "helper-1"],
        reason: "truncated_json",
        message: "It ended too soon.",
        attempts: 2,
        createdAt: 1,
      }),
    );
});

describe("the examples", () => {
  it("are there for every route of the API, the publish call first", () => {
    const served = routes.filter(({ dialect }) => dialect !== "page");
    expect([...names].sort()).toEqual(served.map(({ method, path }) => `${method} ${path}`).sort());
    expect(names[0]).toBe("post /api/publish_interaction");
  });

  it("name nothing that no other one yields", () => {
    const samples = samplesOf(examples.map(({ example }) => example));
    for (const { route, example } of examples) {
      for (const name of placeholdersOf(example))
        expect(samples.has(name), `${route.path} ${name}`).toBe(true);
    }
  });

  it("are what their routes take, as the OpenAPI document shows them", () => {
    const samples = samplesOf(examples.map(({ example }) => example));
    for (const { route, example } of examples) {
      const raw = {
        body: filled(example.body, samples),
        query: example.query ?? {},
        params: Object.fromEntries(
          Object.entries(example.params ?? {}).map(([name, value]) => [name, String(filled(value, samples))]),
        ),
      };
      expect(() => route.validate(raw), route.path).not.toThrow();
    }
  });

  it.each(examples.map((example, position) => [names[position] ?? "", example] as const))(
    "run: %s",
    async (_, { route, example }) => {
      const needed = placeholdersOf(example).filter((name) => !yielded.has(name));
      expect(needed, "not yielded by an earlier example").toEqual([]);
      const bearer = route.scope === "admin-secret" ? env.ADMIN_SECRET : key;
      const address = exampleAddress(route.path, example, yielded);
      const response = await send(route.method, address, bearer, filled(example.body, yielded));
      const text = await response.text();
      expect(response.status, text).toBeGreaterThanOrEqual(200);
      expect(response.status, text).toBeLessThan(300);
      // What earlier deletions took along is no longer there to be deleted.
      if (route.method !== "delete" && route.path !== ALWAYS_CLOSED)
        expect(text).not.toContain('"success":false');
      for (const [name, value] of yieldedBy(example, JSON.parse(text))) yielded.set(name, value);
    },
  );
});
