/** Retention: an org that holds too many turns loses its oldest, but for what learning still needs. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { Database } from "../../../src/db/client";
import { enqueue, findWork, type WorkMessage } from "../../../src/db/outbox";
import { type Statement, sql } from "../../../src/db/sql";
import { readSettings } from "../../../src/env";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import { runRetention } from "../../../src/interactions/retain";
import { loadConfig } from "../../../src/orgs/config-store";
import { evidenceOf } from "../../../src/playbooks/evidence";
import { insertAgentPlaybooks, insertSources, insertUserPlaybooks } from "../../../src/playbooks/store";
import { performWork } from "../../../src/work";
import { rows, turns, type World, world } from "./support";

const settings = (threshold: number, count: number) => ({
  settings: {
    ...readSettings(env),
    INTERACTION_CLEANUP_THRESHOLD: threshold,
    INTERACTION_CLEANUP_COUNT: count,
  },
});

const send = (services: World, orgId: string, userId: string, count: number, more: object = {}) =>
  publish(
    services,
    orgId,
    publishBodySchema.parse({
      user_id: userId,
      session_id: `session of ${userId}`,
      interaction_data_list: turns(count),
      ...more,
    }),
  );

const retentionRows = ({ db }: World, orgId: string) =>
  rows(db, sql`SELECT id, key FROM outbox WHERE org_id = ${orgId} AND topic = 'retention'`);

const numbers = (found: readonly Record<string, unknown>[]): number[] => found.map(({ n }) => Number(n));

/** Ids of the turns that are left, of one user or all. */
const left = async ({ db }: World, orgId: string, userId?: string): Promise<number[]> =>
  numbers(
    await rows(
      db,
      sql`SELECT interaction_id AS n FROM interactions WHERE org_id = ${orgId}
          AND (user_id = ${userId ?? null} OR ${userId ?? null} IS NULL) ORDER BY 1`,
    ),
  );

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** Says that the extractor has read a user's stream up to `seq`. */
const readUpTo = ({ db }: World, orgId: string, userId: string, seq: number) =>
  db.run(sql`INSERT INTO cursors (org_id, user_id, kind, completed_seq, started, window_id, attempts, retry_at_ms,
      last_error, last_turn_ms) VALUES (${orgId}, ${userId}, 'playbook', ${seq}, 1, NULL, 0, 0, NULL, 0)`);

const openWindow = ({ db }: World, orgId: string, userId: string, manifest: readonly number[]) =>
  db.run(sql`INSERT INTO windows (org_id, window_id, user_id, kind, manifest, first_new_seq, end_seq, force,
      skip_aggregation, config_hash, agent_version, request_id, source, state, outcome, error, created_at, finished_at)
    VALUES (${orgId}, 'replayed', ${userId}, 'playbook', ${JSON.stringify(manifest)}, ${manifest[0] ?? 0},
      ${manifest.at(-1) ?? 0}, 0, 0, '', '', '', '', 'open', NULL, NULL, 0, NULL)`);

async function newWork(services: World, orgId: string, cause = "c"): Promise<WorkMessage> {
  const { message, statement } = await enqueue({ orgId, topic: "retention", key: [], cause, nowMs: 0 });
  await services.db.run(statement);
  return message;
}

/** Delivers a message until its work is done; returns how many deliveries that took. */
async function workOff(services: World, message: WorkMessage): Promise<number> {
  for (let deliveries = 1; deliveries < 200; deliveries += 1) {
    if ((await performWork(services, message)) === "done") return deliveries;
  }
  throw new Error("the work never ended");
}

describe("a publish", () => {
  test("enqueues retention once, when its ids pass a thousand of an org that may be full", async () => {
    const services = world(settings(1_500, 100));
    const orgId = "due";
    await send(services, orgId, "ada", 1_000);
    await send(services, orgId, "ada", 499);
    expect(await retentionRows(services, orgId)).toEqual([]);
    await send(services, orgId, "ada", 500);
    expect(await retentionRows(services, orgId)).toEqual([]);
    const passing = { request_id: "passing" };
    await send(services, orgId, "ada", 2, passing);
    await send(services, orgId, "ada", 2, passing);
    expect(await retentionRows(services, orgId)).toMatchObject([{ key: "[]" }]);
    await send(services, orgId, "ada", 998);
    expect(await retentionRows(services, orgId)).toHaveLength(1);
    await send(services, orgId, "ada", 1);
    expect(await retentionRows(services, orgId)).toHaveLength(2);
  });

  test("writes at most two rows more then, and sends no other message", async () => {
    const counting = new (class extends Database {
      written = 0;
      override async batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
        const results = await super.batch(...args);
        this.written += results.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
        return results;
      }
    })(env.DB);
    const services = world({ ...settings(1, 1), database: () => counting });
    await loadConfig(services.db, "counted", services.clock);
    await send(services, "counted", "ada", 960);
    for (const [count, rowsMore] of [
      [39, 0],
      [1, 2],
      [40, 0],
    ] as const) {
      counting.written = 0;
      services.sent.length = 0;
      await send(services, "counted", "ada", count);
      expect(counting.written).toBeLessThanOrEqual(6 + 3 * count + rowsMore);
      expect(services.sent).toHaveLength(1);
    }
    expect(await retentionRows(services, "counted")).toHaveLength(1);
  });
});

/** ada: 40 requests of 10 that were read; ben: 20 turns that nobody read; eve: turns that nobody will read. */
async function fullOrg(services: World, orgId: string) {
  await send(services, orgId, "ben", 20);
  await send(services, orgId, "eve", 30, { evaluation_only: true });
  for (let at = 0; at < 40; at += 1) await send(services, orgId, "ada", 10);
  await readUpTo(services, orgId, "ada", 445);
}

describe("retention", () => {
  test("deletes nothing where the org holds less than the threshold", async () => {
    const services = world(settings(451, 100));
    await fullOrg(services, "roomy");
    expect(await workOff(services, await newWork(services, "roomy"))).toBe(1);
    expect(await left(services, "roomy")).toHaveLength(450);
  });

  test("deletes the oldest, with their requests and words, and keeps what nobody has read", async () => {
    const services = world(settings(450, 100));
    await fullOrg(services, "full");
    const message = await newWork(services, "full");
    await workOff(services, message);
    expect(await left(services, "full")).toEqual([...range(1, 20), ...range(121, 450)]);
    const requests = await rows(
      services.db,
      sql`SELECT min_seq AS n FROM requests WHERE org_id = 'full' ORDER BY max_seq`,
    );
    expect(numbers(requests).slice(0, 2)).toEqual([1, 121]);
    const words = await rows(
      services.db,
      sql`SELECT count(*) AS n FROM interactions_fts WHERE rowid NOT IN (SELECT row FROM interactions)`,
    );
    expect(numbers(words)).toEqual([0]);
    const audits = await rows(
      services.db,
      sql`SELECT principal_id, action, request_id FROM audit WHERE org_id = 'full'`,
    );
    expect(audits).toEqual([
      { principal_id: "retention", action: "delete.interactions", request_id: message.id },
    ]);
    expect(await findWork(services.db, message)).toBeNull();
  });

  test("keeps the last window of context, turns not read yet, and windows under way", async () => {
    const services = world(settings(450, 450));
    await fullOrg(services, "kept");
    await openWindow(services, "kept", "ada", [75, 76, 83]);
    await workOff(services, await newWork(services, "kept"));
    // The cursor stands at 445 and a window holds ten turns, so context begins at 436, in the request from 431 on.
    expect(await left(services, "kept", "ada")).toEqual([...range(71, 90), ...range(431, 450)]);
    expect(await left(services, "kept", "ben")).toEqual(range(1, 20));
    expect(await left(services, "kept", "eve")).toEqual([]);
    const windows = await rows(services.db, sql`SELECT state FROM windows WHERE org_id = 'kept'`);
    expect(windows).toEqual([{ state: "open" }]);
  });

  test("keeps all of a user who has had less than a window", async () => {
    const services = world(settings(9, 9));
    await send(services, "short", "flo", 9);
    await readUpTo(services, "short", "flo", 9);
    await workOff(services, await newWork(services, "short"));
    expect(await left(services, "short")).toHaveLength(9);
  });

  test("touches no other org", async () => {
    const services = world(settings(10, 10));
    await send(services, "mine", "ada", 12, { evaluation_only: true });
    await send(services, "theirs", "ada", 12, { evaluation_only: true });
    await workOff(services, await newWork(services, "mine"));
    expect(await left(services, "mine")).toEqual([]);
    expect(await left(services, "theirs")).toHaveLength(12);
  });

  test("goes on where a message ended, in pages of at most 500 rows", async () => {
    const sizes: number[] = [];
    const db = new (class extends Database {
      override async batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
        const results = await super.batch(...args);
        const deleted = results.filter((_, at) =>
          /^DELETE FROM (interactions|requests)/.test(args[0][at]?.text ?? ""),
        );
        if (deleted.length > 0) sizes.push(deleted.reduce((sum, { rows: gone }) => sum + gone.length, 0));
        return results;
      }
    })(env.DB);
    const services = world({ ...settings(7_000, 6_500), database: () => db });
    for (let at = 0; at < 7; at += 1) await send(services, "long", "eve", 1_000, { evaluation_only: true });
    expect(await workOff(services, await newWork(services, "long"))).toBe(2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
    // The last request that is taken goes as a whole.
    expect(await left(services, "long")).toEqual([]);
  });

  test.each(["once before", "once after"])("survives a page that is lost %s it took effect", async (when) => {
    let batches = 0;
    const db = new (class extends Database {
      override async batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
        const isPage = args[0].some(({ text }) => text.startsWith("DELETE FROM interactions"));
        if (isPage) batches += 1;
        const fails = isPage && batches === 2;
        if (fails && when === "once before") throw new Error("network lost");
        const results = await super.batch(...args);
        if (fails) throw new Error("network lost");
        return results;
      }
    })(env.DB);
    const orgId = `lost ${when}`;
    const services = world({ ...settings(3_000, 2_000), database: () => db });
    for (let at = 0; at < 30; at += 1) await send(services, orgId, "eve", 100, { evaluation_only: true });
    await workOff(services, await newWork(services, orgId));
    expect(await left(services, orgId)).toEqual(range(2_001, 3_000));
  });

  test("deletes no more when messages come twice and at once", async () => {
    const services = world(settings(3_000, 2_000));
    for (let at = 0; at < 30; at += 1) await send(services, "twice", "eve", 100, { evaluation_only: true });
    const message = await newWork(services, "twice");
    await Promise.all([1, 2, 3].map(() => performWork(services, message)));
    await workOff(services, message);
    await workOff(services, message);
    expect(await left(services, "twice")).toEqual(range(2_001, 3_000));
  });

  test("goes on from where it stands when a message comes late that was read at the beginning", async () => {
    const services = world(settings(500, 5_500));
    for (let at = 0; at < 60; at += 1) await send(services, "late", "eve", 100, { evaluation_only: true });
    const message = await newWork(services, "late");
    const early = await findWork(services.db, message);
    if (early === null) throw new Error("the work is gone");
    expect(await performWork(services, message)).toEqual({ retryInMs: 0 });
    expect(await runRetention(services, early)).toBe("done");
    expect(await left(services, "late")).toEqual(range(5_501, 6_000));
    await workOff(services, message);
    expect(await runRetention(services, early)).toBe("done");
    expect(await left(services, "late")).toEqual(range(5_501, 6_000));
  });

  test("leaves a second piece of work nothing to do while the first is under way", async () => {
    const services = world(settings(500, 5_500));
    for (let at = 0; at < 6; at += 1) await send(services, "busy", "eve", 1_000, { evaluation_only: true });
    const [first, second] = [await newWork(services, "busy", "1"), await newWork(services, "busy", "2")];
    expect(await performWork(services, first)).toEqual({ retryInMs: 0 });
    const before = await left(services, "busy");
    expect(before.length).toBeGreaterThan(500);
    expect(await performWork(services, second)).toBe("done");
    expect(await left(services, "busy")).toEqual(before);
    await workOff(services, first);
    expect(await left(services, "busy")).toHaveLength(0);
  });

  test("leaves evidence that says so where a rule cited a deleted turn", async () => {
    const services = world(settings(12, 2));
    await send(services, "cited", "ada", 2);
    await send(services, "cited", "ada", 10);
    await readUpTo(services, "cited", "ada", 12);
    const text = {
      content: "Keep it short.",
      trigger: null,
      rationale: null,
      tags: null,
      expandedTerms: null,
    };
    const base = {
      ...text,
      orgId: "cited",
      agentVersion: "v",
      createdAt: 1,
      updatedAtMs: 1,
      flags: [],
      status: null,
    };
    const none = { source: null, sourceSpan: null, notes: null, readerAngle: null, windowId: null };
    await services.db.batch([
      ...insertUserPlaybooks([
        {
          ...base,
          ...none,
          ...{ userPlaybookId: 1, userId: "ada", requestId: "r", playbookName: "" },
          sourceInteractionIds: [1, 2, 3],
        },
      ]),
      ...insertAgentPlaybooks([
        {
          ...base,
          ...{ agentPlaybookId: 1, playbookName: "", playbookStatus: "approved", playbookMetadata: "" },
          ...{ decidedBy: null, decidedAt: null, replaces: null },
        },
      ]),
      ...insertSources("cited", 1, [{ userPlaybookId: 1, sourceInteractionIds: [1, 2, 3] }]),
    ]);
    await workOff(services, await newWork(services, "cited"));
    const evidence = await evidenceOf(services.db, "cited", 1, true);
    expect(evidence?.sources).toMatchObject([
      { state: "current", turns: [{ interaction_id: 3 }], turns_left_out: 2 },
    ]);
  });

  test("finds its rows by more than the org, but for the count and the walk in arrival order", async () => {
    const seen = new Map<string, Statement>();
    const spy = new (class extends Database {
      override batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
        for (const statement of args[0]) seen.set(statement.text, statement);
        return super.batch(...args);
      }
    })(env.DB);
    const services = world({ ...settings(450, 100), database: () => spy });
    await fullOrg(world(), "planned");
    const message = await newWork(services, "planned");
    const work = await findWork(services.db, message);
    if (work === null) throw new Error("the work is gone");
    expect(await runRetention(services, work)).toBe("done");
    const plans = await Promise.all(
      [...seen.values()]
        .filter(({ text }) => !text.startsWith("INSERT INTO guard") && !text.includes("FROM org_settings"))
        .map(async ({ text, params }) => {
          const steps = await rows(services.db, { text: `EXPLAIN QUERY PLAN ${text}`, params });
          return { text, steps: steps.map(({ detail }) => String(detail)) };
        }),
    );
    const whole = plans.filter(({ text, steps }) =>
      steps.some(
        (step) =>
          /\(org_id=\?\)|SCAN (interactions|requests|windows|cursors|[rwci])\b/.test(step) &&
          !text.includes("AS turns"),
      ),
    );
    expect(plans.length).toBeGreaterThan(8);
    expect(whole).toEqual([]);
  });
});
