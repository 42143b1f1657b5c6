/** The webhook as a resource: its address is judged, its secret is shown once, and lost answers double nothing. */
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Database } from "../../../src/db/client";
import { sql } from "../../../src/db/sql";
import { clientOf } from "../whole/loop";
import { db, newWorld, START_MS, teach, URL_OF_RECEIVER, type World } from "./webhooks-support";

const put = (world: World, url: unknown, events: unknown = ["rule.pending"]) =>
  world.call("PUT", "/api/webhook", { url, events });

const stored = async (orgId: string): Promise<string> =>
  JSON.stringify(await db.all(z.unknown(), sql`SELECT * FROM webhook_endpoints WHERE org_id = ${orgId}`));

const audited = async (orgId: string): Promise<string[]> =>
  (
    await db.all(
      z.object({ action: z.string() }),
      sql`SELECT action FROM audit WHERE org_id = ${orgId} AND action LIKE '%webhook%' ORDER BY row`,
    )
  ).map(({ action }) => action);

/** A database whose next batch that writes to the endpoint takes effect and loses its answer, or fails before. */
class LossyDatabase extends Database {
  next: "after" | "before" | null = null;
  constructor() {
    super(env.DB);
  }
  override async batch(statements: Parameters<Database["batch"]>[0]): ReturnType<Database["batch"]> {
    const isChange = statements.some(({ text }) => /^(INSERT INTO|UPDATE) webhook_endpoints/.test(text));
    const fault = isChange ? this.next : null;
    if (fault !== null) this.next = null;
    if (fault === "before") throw new Error("the database is away");
    const results = await super.batch(statements);
    if (fault === "after") throw new Error("the answer is lost");
    return results;
  }
}

describe("the webhook", () => {
  it("is made with a secret that is shown once and stored sealed", async () => {
    const world = await newWorld();
    expect((await world.call("GET", "/api/webhook")).status).toBe(404);
    const made = await put(world, URL_OF_RECEIVER, ["rule.pending", "budget.reached", "rule.pending"]);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      url: URL_OF_RECEIVER,
      events: ["rule.pending", "budget.reached"],
      created_at: START_MS / 1000,
      updated_at: START_MS / 1000,
      previous_secret_until: null,
      failing_since: null,
      disabled_at: null,
      disabled_reason: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const secret = String(made.body.secret);
    expect(await stored(world.orgId)).not.toContain(secret.slice("whsec_".length));
    const { secret: _, ...shown } = made.body;
    expect((await world.call("GET", "/api/webhook")).body).toEqual(shown);
    const again = await put(world, "https://hooks.example.com/other", ["dead_letter.added"]);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({
      secret: null,
      url: "https://hooks.example.com/other",
      events: ["dead_letter.added"],
    });
    expect(await audited(world.orgId)).toEqual(["create.webhook", "update.webhook"]);
  });

  it("is removed, however often that is asked for", async () => {
    const world = await newWorld();
    await world.set();
    for (let times = 0; times < 2; times += 1) {
      expect(await world.call("DELETE", "/api/webhook")).toEqual({ status: 200, body: { deleted: true } });
    }
    expect((await world.call("GET", "/api/webhook")).status).toBe(404);
    expect(await audited(world.orgId)).toEqual(["create.webhook", "delete.webhook"]);
  });

  it.each([
    "http://hooks.example.com/",
    "https://10.0.0.8/",
    "https://3232235778./",
    "https://3232235777/",
    "https://0xa9fea9fe/latest",
    "https://[::ffff:10.0.0.1]/",
    "https://metadata.google.internal/",
    "https://user:pass@hooks.example.com/",
    "https://hooks.example.com/#x",
    "not a url",
    `https://hooks.example.com/${"x".repeat(2048)}`,
    "",
    7,
    null,
  ])("is not set to %s", async (url) => {
    const world = await newWorld();
    const { status: code, body } = await put(world, url);
    expect(code).toBe(422);
    expect(body.errors).toMatchObject([{ pointer: "/url", message: expect.any(String) }]);
    expect(await stored(world.orgId)).toBe("[]");
  });

  it("is not set to loopback anywhere but on a laptop", async () => {
    const base = await newWorld();
    const settings = { ...base.services.settings, ENVIRONMENT: "production" as const };
    const world = await newWorld({ settings });
    for (const url of [
      "http://127.0.0.1:9/",
      "https://localhost/",
      "https://[::1]/",
      "https://2130706433/",
    ]) {
      expect((await put(world, url)).status).toBe(422);
      expect((await put(base, url)).status).toBeLessThan(300);
    }
  });

  it.each([
    [[], "/events"],
    [["rule.approved"], "/events/0"],
    [["webhook.test"], "/events/0"],
    ["rule.pending", "/events"],
    [undefined, "/events"],
  ])("is not set for %j", async (events, pointer) => {
    const world = await newWorld();
    const { status: code, body } = await world.call("PUT", "/api/webhook", { url: URL_OF_RECEIVER, events });
    expect(code).toBe(422);
    expect(body.errors).toMatchObject(expect.arrayContaining([expect.objectContaining({ pointer })]));
  });

  it("is nobody's but an owner's", async () => {
    const world = await newWorld();
    await world.set();
    for (const role of ["agent", "editor", "reviewer"]) {
      const made = await world.call("POST", "/api/keys", { name: role, principal_id: role, roles: [role] });
      const key = String(made.body.key);
      const call = clientOf(world.services, { orgId: world.orgId, key });
      for (const [method, path] of [
        ["DELETE", "/api/webhook"],
        ["POST", "/api/webhook/test"],
        ["POST", "/api/webhook/rotate_secret"],
        ["POST", "/api/webhook/messages/x/resend"],
      ] as const) {
        await expect(call(method, path, {})).rejects.toThrow("answered 403");
      }
    }
  });

  it("needs SECRETS_KEYS, and says so", async () => {
    const world = await newWorld({ secrets: null });
    for (const [method, path, body] of [
      ["PUT", "/api/webhook", { url: URL_OF_RECEIVER, events: ["rule.pending"] }],
      ["POST", "/api/webhook/rotate_secret", {}],
      ["POST", "/api/webhook/test", {}],
    ] as const) {
      const answer = await world.call(method, path, body);
      expect(answer.status).toBe(503);
      expect(answer.body.detail).toContain("SECRETS_KEYS");
    }
    expect(await stored(world.orgId)).toBe("[]");
  });
});

describe("an answer that is lost", () => {
  it.each(["before", "after"] as const)("%s the webhook was made shows a secret that signs", async (when) => {
    const lossy = new LossyDatabase();
    const world = await newWorld({ database: () => lossy });
    lossy.next = when;
    const first = await put(world, URL_OF_RECEIVER);
    expect(first.status).toBe(when === "after" ? 201 : 500);
    const secret = when === "after" ? String(first.body.secret) : await world.set();
    await teach(world);
    await world.work();
    const [received] = world.receiver.received;
    const headers = { ...received?.headers };
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
    expect(new Webhook(secret).sign(headers["webhook-id"] ?? "", at, received?.body ?? "")).toBe(
      headers["webhook-signature"],
    );
    expect(await audited(world.orgId)).toEqual(["create.webhook"]);
  });

  it("after a rotation rotates once: the secret before still counts", async () => {
    const lossy = new LossyDatabase();
    const world = await newWorld({ database: () => lossy });
    await world.set();
    lossy.next = "after";
    const rotated = await world.call("POST", "/api/webhook/rotate_secret");
    expect(rotated.status).toBe(200);
    expect(rotated.body).toMatchObject({ previous_secret_until: START_MS / 1000 + 86_400 });
    expect(await audited(world.orgId)).toEqual(["create.webhook", "rotate.webhook_secret"]);
  });

  it("before a rotation leaves the webhook as it was", async () => {
    const lossy = new LossyDatabase();
    const world = await newWorld({ database: () => lossy });
    await world.set();
    const before = await stored(world.orgId);
    lossy.next = "before";
    expect((await world.call("POST", "/api/webhook/rotate_secret")).status).toBeGreaterThanOrEqual(409);
    expect(await stored(world.orgId)).toBe(before);
  });
});

describe("two who set the webhook at once", () => {
  it("make one, and only its maker is shown the secret", async () => {
    const world = await newWorld();
    const answers = await Promise.all(
      [1, 2, 3, 4].map((each) => put(world, `https://hooks.example.com/${each}`)),
    );
    expect(answers.filter(({ status: code }) => code === 201)).toHaveLength(1);
    for (const { status: code, body } of answers) {
      if (code !== 201) expect([200, 409]).toContain(code);
      if (code !== 201) expect(body.secret ?? null).toBeNull();
    }
  });

  it("rotate it one after the other", async () => {
    const world = await newWorld();
    await world.set();
    const answers = await Promise.all([1, 2, 3].map(() => world.call("POST", "/api/webhook/rotate_secret")));
    const shown = answers.filter(({ status: code }) => code === 200);
    expect(shown.length).toBeGreaterThanOrEqual(1);
    expect(answers.every(({ status: code }) => code === 200 || code === 409)).toBe(true);
    expect(await audited(world.orgId)).toHaveLength(1 + shown.length);
  });
});
