/** Windows over the real tables, learning status and waiting for it. */

import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { Database } from "../../../src/db/client";
import { sql } from "../../../src/db/sql";
import { type NextWindow, nextWindow } from "../../../src/interactions/next-window";
import { MAX_WAIT_MS, MAX_WAIT_STATEMENTS, waitForLearning } from "../../../src/interactions/wait";
import { call, idsOf, ORG, publishCall, turns, type World, world } from "./support";

const select = async (services: World, userId: string): Promise<NextWindow> => {
  const next = await nextWindow(services.db, ORG, userId, "playbook");
  if ("waiting" in next) throw new Error(`no window: ${next.waiting}`);
  return next;
};

/** Puts a cursor and, if given, the window it is at, as learning would. */
async function moveCursor(
  services: World,
  userId: string,
  completedSeq: number,
  window?: { id: string; state: string; next: NextWindow },
  attempts = 0,
): Promise<void> {
  const unfinished = window !== undefined && ["open", "computed"].includes(window.state);
  const statements = [
    sql`INSERT INTO cursors (org_id, user_id, kind, completed_seq, started, window_id, attempts, retry_at_ms,
          last_error, last_turn_ms)
        VALUES (${ORG}, ${userId}, 'playbook', ${completedSeq}, ${Number(completedSeq > 0)},
          ${unfinished ? window.id : null}, ${attempts}, ${attempts > 0 ? services.nowMs + 60_000 : 0}, NULL, 0)
        ON CONFLICT (org_id, user_id, kind) DO UPDATE SET completed_seq = excluded.completed_seq,
          started = excluded.started, window_id = excluded.window_id, attempts = excluded.attempts,
          retry_at_ms = excluded.retry_at_ms`,
  ];
  if (window !== undefined) {
    const { next } = window;
    statements.push(
      sql`INSERT INTO windows (org_id, window_id, user_id, kind, manifest, first_new_seq, end_seq, force,
            skip_aggregation, config_hash, agent_version, request_id, source, state, outcome, error, created_at,
            finished_at)
          VALUES (${ORG}, ${window.id}, ${userId}, 'playbook', ${JSON.stringify(next.manifest)},
            ${next.firstNewSeq}, ${next.endSeq}, 0, 0, ${next.configHash}, ${next.agentVersion}, ${next.requestId},
            ${next.source}, ${window.state}, '{"quoted":"turns"}', NULL, 1, NULL)
          ON CONFLICT (org_id, window_id) DO UPDATE SET state = excluded.state`,
    );
  }
  await services.db.batch(statements);
}

const status = async (services: World, requestId: string): Promise<string> => {
  const { body } = await call(services, "GET", `/api/learning_status?request_id=${requestId}`);
  return `${body.status} ${body.reason}`;
};

describe("windows of a stored stream", () => {
  test("trap 1 and 2: ten turns make the first, then eight; a backlog is drained in arrival order", async () => {
    const services = world();
    await publishCall(services, "wim", turns(9));
    expect(await nextWindow(services.db, ORG, "wim", "playbook")).toEqual({ waiting: "waiting_for_window" });
    await publishCall(services, "someone else", turns(9));
    await publishCall(services, "wim", turns(17), {
      agent_version: "v2",
      source: "mail",
      request_id: "wim-2",
    });
    const ids = await idsOf(services.db, "wim");
    const first = await select(services, "wim");
    expect(first).toMatchObject({
      manifest: ids.slice(0, 10),
      contextIds: [],
      force: false,
      agentVersion: "v2",
    });
    await moveCursor(services, "wim", first.endSeq);
    const second = await select(services, "wim");
    expect(second.newIds).toEqual(ids.slice(10, 18));
    expect(second.contextIds).toEqual(ids.slice(8, 10));
    expect(second).toMatchObject({ requestId: "wim-2", source: "mail", endSeq: ids[17] });
    await moveCursor(services, "wim", second.endSeq);
    expect((await select(services, "wim")).newIds).toEqual(ids.slice(18, 26));
  });

  test("trap 3: a forced request is a barrier at its own last turn", async () => {
    const services = world();
    await publishCall(services, "fay", turns(1));
    await publishCall(services, "fay", turns(2), { force_extraction: true, skip_aggregation: true });
    await publishCall(services, "fay", turns(6));
    const ids = await idsOf(services.db, "fay");
    const forced = await select(services, "fay");
    expect(forced).toMatchObject({ newIds: ids.slice(0, 3), force: true, skipAggregation: true });
    await moveCursor(services, "fay", forced.endSeq);
    expect(await nextWindow(services.db, ORG, "fay", "playbook")).toEqual({ waiting: "waiting_for_window" });
  });

  test("trap 5: evaluation input stays out, before and between learnable turns", async () => {
    const services = world();
    await publishCall(services, "gus", turns(5), { evaluation_only: true });
    await publishCall(services, "gus", turns(6));
    await publishCall(services, "gus", turns(5), { evaluation_only: true });
    await publishCall(services, "gus", turns(4));
    const ids = await idsOf(services.db, "gus");
    expect((await select(services, "gus")).manifest).toEqual([...ids.slice(5, 11), ...ids.slice(16, 20)]);
  });

  test("reads no more of a long stream than of a short one", async () => {
    const services = world();
    const reading = new (class extends Database {
      read = 0;
      override async batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
        const results = await super.batch(...args);
        this.read += results.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
        return results;
      }
    })(env.DB);
    const readsOf = async (): Promise<number> => {
      reading.read = 0;
      await nextWindow(reading, ORG, "hal", "playbook");
      return reading.read;
    };
    await publishCall(services, "hal", turns(30));
    const ids = await idsOf(services.db, "hal");
    await moveCursor(services, "hal", Number(ids[9]));
    const short = await readsOf();
    for (let call = 0; call < 4; call += 1) await publishCall(services, "hal", turns(900));
    await moveCursor(services, "hal", Number((await idsOf(services.db, "hal"))[3_609]));
    expect(await readsOf()).toBeLessThanOrEqual(short + 5);
  });
});

describe("learning status", () => {
  test("follows a request from waiting to done", async () => {
    const services = world();
    await publishCall(services, "ivy", turns(9), { request_id: "ivy-1" });
    expect(await status(services, "ivy-1")).toBe("pending waiting_for_window");
    await publishCall(services, "ivy", turns(1), { request_id: "ivy-2" });
    expect(await status(services, "ivy-1")).toBe("pending queued");
    const next = await select(services, "ivy");
    await moveCursor(services, "ivy", 0, { id: "w", state: "open", next });
    expect(await status(services, "ivy-2")).toBe("processing extracting");
    await moveCursor(services, "ivy", 0, { id: "w", state: "open", next }, 1);
    expect(await status(services, "ivy-2")).toBe("pending retrying");
    await moveCursor(services, "ivy", next.endSeq, { id: "w", state: "applied", next });
    expect(await status(services, "ivy-1")).toBe("done covered");
  });

  test("trap 10: a window that died says failed, to its own requests only", async () => {
    const services = world();
    await publishCall(services, "jon", turns(10), { request_id: "jon-1" });
    const next = await select(services, "jon");
    await moveCursor(services, "jon", next.endSeq, { id: "dead", state: "dead", next });
    await publishCall(services, "jon", turns(8), { request_id: "jon-2" });
    const later = await select(services, "jon");
    await moveCursor(services, "jon", later.endSeq, { id: "fine", state: "applied", next: later });
    expect(await status(services, "jon-1")).toBe("failed dead_letter");
    expect(await status(services, "jon-2")).toBe("done covered");
    await moveCursor(services, "jon", later.endSeq, { id: "dead", state: "open", next });
    expect(await status(services, "jon-1")).toBe("processing extracting");
  });

  test("says done for what is never learned from, and 404 for what does not exist", async () => {
    const services = world();
    await publishCall(services, "kay", turns(2), { request_id: "kay-1", evaluation_only: true });
    expect(await status(services, "kay-1")).toBe("done not_applicable");
    expect((await call(services, "GET", "/api/learning_status?request_id=nobody")).status).toBe(404);
    expect((await call(services, "GET", "/api/learning_status")).status).toBe(422);
  });
});

describe("waiting for a response", () => {
  /** Sleeping moves the test's clock and lets the test act. */
  const sleeper =
    (services: World, pauses: number[], act: (nth: number) => Promise<void> = async () => {}) =>
    async (durationMs: number): Promise<void> => {
      pauses.push(durationMs);
      services.nowMs += durationMs;
      await act(pauses.length);
    };

  test("trap 9: ends at once when only new turns can complete a window", async () => {
    const services = world();
    const { body } = await call(services, "POST", "/api/publish_interaction?wait_for_response=true", {
      user_id: "lea",
      session_id: "s",
      interaction_data_list: turns(3),
    });
    expect(body).toMatchObject({ learning_status: "deferred", learning_reason: "waiting_for_window" });
  });

  test("ends with done and the number of rules once the cursor has passed", async () => {
    const services = world();
    await publishCall(services, "max", turns(10), { request_id: "max-1" });
    const next = await select(services, "max");
    const pauses: number[] = [];
    const result = await waitForLearning(
      services,
      ORG,
      "max-1",
      sleeper(services, pauses, async (nth) => {
        if (nth === 2) await moveCursor(services, "max", 0, { id: "max-w", state: "open", next });
        if (nth === 4)
          await moveCursor(services, "max", next.endSeq, { id: "max-w", state: "applied", next });
      }),
    );
    expect(result).toEqual({ learning_status: "done", learning_reason: "covered", playbooks_added: 0 });
    expect(pauses).toEqual([100, 200, 400, 800]);
  });

  test("ends with failed when the window died", async () => {
    const services = world();
    await publishCall(services, "nat", turns(10), { request_id: "nat-1" });
    const next = await select(services, "nat");
    const act = () => moveCursor(services, "nat", next.endSeq, { id: "nat-w", state: "dead", next });
    expect(await waitForLearning(services, ORG, "nat-1", sleeper(services, [], act))).toEqual({
      learning_status: "deferred",
      learning_reason: "failed",
    });
  });

  test("gives up after a minute, in bounded steps and at most 80 statements", async () => {
    let statements = 0;
    const counting = new (class extends Database {
      override batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
        statements += args[0].length;
        return super.batch(...args);
      }
    })(env.DB);
    const services = world({ database: () => counting });
    await publishCall(services, "oda", turns(10), { request_id: "oda-1" });
    statements = 0;
    const startMs = services.nowMs;
    const pauses: number[] = [];
    const result = await waitForLearning(services, ORG, "oda-1", sleeper(services, pauses));
    expect(result).toEqual({ learning_status: "deferred", learning_reason: "wait_timeout" });
    expect(Math.max(...pauses)).toBe(5_000);
    expect(services.nowMs - startMs).toBeGreaterThan(50_000);
    expect(services.nowMs - startMs).toBeLessThanOrEqual(MAX_WAIT_MS);
    expect(statements).toBeLessThanOrEqual(MAX_WAIT_STATEMENTS);
  });

  test("stays within 80 statements when the cursor moves before every look", async () => {
    let statements = 0;
    const counting = new (class extends Database {
      override batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
        statements += args[0].length;
        return super.batch(...args);
      }
    })(env.DB);
    const services = world({ database: () => counting });
    await publishCall(services, "pia", turns(400), { request_id: "pia-1" });
    const ids = await idsOf(services.db, "pia");
    const act = (nth: number) => moveCursor(world(), "pia", Number(ids[nth]));
    statements = 0;
    const result = await waitForLearning(services, ORG, "pia-1", sleeper(services, [], act));
    expect(result.learning_reason).toBe("wait_timeout");
    expect(statements).toBeLessThanOrEqual(MAX_WAIT_STATEMENTS);
  });
});

describe("trap 15: deleting turns of a window that is under way", () => {
  test("drops the window and its outcome, keeps the cursor, and frees what waited", async () => {
    const services = world();
    await publishCall(services, "quy", turns(9), { request_id: "quy-1" });
    await publishCall(services, "quy", turns(1), { request_id: "quy-2" });
    const next = await select(services, "quy");
    await moveCursor(services, "quy", 0, { id: "quy-w", state: "computed", next });
    const { body } = await call(services, "DELETE", "/api/delete_request", { request_id: "quy-2" });
    expect(body.success).toBe(true);
    const state = await services.db.batch([
      sql`SELECT state, outcome FROM windows WHERE window_id = 'quy-w'`,
      sql`SELECT completed_seq, window_id FROM cursors WHERE user_id = 'quy'`,
    ]);
    expect(state.map((result) => result.rows[0])).toEqual([
      { state: "invalidated", outcome: null },
      { completed_seq: 0, window_id: null },
    ]);
    expect(await status(services, "quy-1")).toBe("pending waiting_for_window");
    expect((await call(services, "GET", "/api/learning_status?request_id=quy-2")).status).toBe(404);
  });

  test("leaves other windows, finished ones and those of other users alone", async () => {
    const services = world();
    for (const userId of ["rex", "sam"]) {
      await publishCall(services, userId, turns(10), { request_id: `${userId}-1` });
      await moveCursor(services, userId, 0, {
        id: `${userId}-w`,
        state: "open",
        next: await select(services, userId),
      });
    }
    await publishCall(services, "rex", turns(1), { request_id: "rex-2" });
    const later = (await idsOf(services.db, "rex")).at(-1);
    await call(services, "DELETE", "/api/delete_interaction", { user_id: "rex", interaction_id: later });
    await call(services, "DELETE", "/api/delete_request", { request_id: "sam-1" });
    const [result] = await services.db.batch([
      sql`SELECT window_id, state FROM windows WHERE window_id IN ('rex-w', 'sam-w') ORDER BY 1`,
    ]);
    expect(result?.rows).toEqual([
      { window_id: "rex-w", state: "open" },
      { window_id: "sam-w", state: "invalidated" },
    ]);
  });

  test("all turns of a request deleted one by one leave it done", async () => {
    const services = world();
    await publishCall(services, "tea", turns(2), { request_id: "tea-1" });
    for (const id of await idsOf(services.db, "tea")) {
      await call(services, "DELETE", "/api/delete_interaction", { user_id: "tea", interaction_id: id });
    }
    expect(await status(services, "tea-1")).toBe("done inputs_erased");
  });
});
