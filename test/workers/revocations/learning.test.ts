/** Nothing is learned from what is revoked, whatever arrives, is retried or is under way. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { oldestRequests } from "../../../src/interactions/retention-store";
import { learningStatusOf } from "../../../src/interactions/status";
import { replayDeadLetter } from "../../../src/learning/dead-letters";
import { noProgress } from "../../../src/learning/model";
import { manifestGuard } from "../../../src/learning/store";
import { previewRevocation } from "../../../src/revocations/preview";
import { chatter, consumeAll, currentOf, rulesOf, say, windowsOf } from "../learning/support";
import { count, db, deliver, newRoom, type Room, revokeNow, turnsOf, wholeUser } from "./support";

const RULE = "RULE sending parcels | ask for the depot key first";
const OTHER = "RULE closing tickets | ask how it went";

const ids = async (orgId: string, userId = "ada"): Promise<number[]> =>
  (
    await db.all(
      z.object({ id: z.int() }),
      sql`SELECT interaction_id AS id FROM interactions WHERE org_id = ${orgId} AND user_id = ${userId} ORDER BY 1`,
    )
  ).map(({ id }) => id);

const idOf = async (orgId: string, content: string): Promise<number> => {
  const row = await db.first(
    z.object({ id: z.int() }),
    sql`SELECT interaction_id AS id FROM interactions WHERE org_id = ${orgId} AND content = ${content}
        ORDER BY 1 DESC LIMIT 1`,
  );
  if (row === null) throw new Error(`nobody said ${content}`);
  return row.id;
};

const eligibility = async (orgId: string) =>
  (
    await db.batch([
      sql`SELECT request_id AS id, playbook_eligible AS playbook, profile_eligible AS profile FROM requests
      WHERE org_id = ${orgId} ORDER BY max_seq`,
    ])
  )[0]?.rows;

describe("a revoked user", () => {
  it("teaches nothing more: what is published is stored, and not admitted", async () => {
    const { orgId, services, scope } = newRoom();
    await say(services, orgId, { turns: [RULE], force: true, requestId: "before" });
    await consumeAll(services, orgId);
    expect(await currentOf(orgId)).toEqual(["ask for the depot key first"]);
    await revokeNow(scope, wholeUser("ada"));
    await say(services, orgId, { turns: [OTHER], force: true, requestId: "after" });
    await say(services, orgId, { turns: [OTHER], force: true, requestId: "ben-1", userId: "ben" });
    await consumeAll(services, orgId);
    expect(await eligibility(orgId)).toEqual([
      { id: "before", playbook: 1, profile: 1 },
      { id: "after", playbook: 0, profile: 0 },
      { id: "ben-1", playbook: 1, profile: 1 },
    ]);
    expect(await currentOf(orgId)).toEqual([]);
    expect((await rulesOf(orgId)).map(({ status }) => status)).toEqual(["pending"]);
    expect(await currentOf(orgId, "ben")).toEqual(["ask how it went"]);
    expect(await learningStatusOf(db, orgId, "after", services.clock.nowMs())).toEqual({
      status: "done",
      reason: "not_applicable",
    });
    expect(await ids(orgId)).toHaveLength(2);
  });

  it("teaches nothing from the first batch on, while the revocation still runs", async () => {
    const { orgId, services, scope } = newRoom();
    await say(services, orgId, { turns: [RULE], force: true, requestId: "before" });
    await revokeNow(scope, wholeUser("ada"));
    await db.run(sql`UPDATE revocations SET state = 'running' WHERE org_id = ${orgId}`);
    await say(services, orgId, { turns: [OTHER], force: true, requestId: "during" });
    await consumeAll(services, orgId);
    expect(await eligibility(orgId)).toMatchObject([{ playbook: 1 }, { playbook: 0 }]);
    expect(await windowsOf(orgId)).toEqual([]);
  });

  it("is not learned from out of turns that were published before and not read yet", async () => {
    const { orgId, services, scope } = newRoom();
    await say(services, orgId, { turns: [RULE], force: true, requestId: "unread" });
    const revocation = await revokeNow(scope, wholeUser("ada"));
    expect(revocation.touched).toMatchObject({ turns: 1, windows: 0 });
    expect(await learningStatusOf(db, orgId, "unread", services.clock.nowMs())).toMatchObject({
      status: "done",
    });
    await consumeAll(services, orgId);
    expect(await rulesOf(orgId)).toEqual([]);
    expect(await windowsOf(orgId)).toEqual([]);
  });

  it("holds up no retention: unread turns of theirs may go", async () => {
    const { orgId, services, scope } = newRoom();
    await say(services, orgId, { turns: chatter(3) });
    const page = { afterSeq: 0, lastSeq: 99, limit: 10 };
    const before = await oldestRequests(db, orgId, ["playbook"], page);
    await revokeNow(scope, wholeUser("ada"));
    const after = await oldestRequests(db, orgId, ["playbook"], page);
    expect([before, after].map(([request]) => request?.isLearnable)).toEqual([true, false]);
  });
});

/** A room whose window has stored what was extracted, and was stopped by a model that was down. */
async function stopped(): Promise<Room> {
  let isDown = true;
  const room = newRoom({
    answers: {
      reviewCandidates: () => {
        if (isDown) throw new Error("the model is down");
        return { decisions: [] };
      },
    },
  });
  await say(room.services, room.orgId, { turns: [RULE, "ok", OTHER], force: true });
  await consumeAll(room.services, room.orgId).catch(() => undefined);
  isDown = false;
  return room;
}

describe("a window under way", () => {
  it("is dropped when it shows a revoked turn, and its paid outcome is forgotten", async () => {
    const room = await stopped();
    const { orgId, scope } = room;
    expect(await windowsOf(orgId)).toMatchObject([
      { state: "open", outcome: expect.stringContaining("depot") },
    ]);
    const revocation = await revokeNow(scope, turnsOf([await idOf(orgId, RULE)], "ada"));
    expect(revocation.touched).toMatchObject({ turns: 1, windows: 1 });
    expect(await windowsOf(orgId)).toMatchObject([{ state: "invalidated", outcome: null }]);
    expect(await count(sql`cursors WHERE org_id = ${orgId} AND window_id IS NOT NULL`)).toBe(0);
  });

  it("stays when it shows none", async () => {
    const room = await stopped();
    const { orgId, scope, services } = room;
    await say(services, orgId, { turns: ["never mind"] });
    expect(await previewRevocation(scope, turnsOf([await idOf(orgId, "never mind")], "ada"))).toMatchObject({
      turns: 1,
      windows: 0,
    });
  });

  it("that was opened over turns revoked right then is not applied, and no model is asked", async () => {
    const room = newRoom();
    const { orgId, services, scope, reasoner } = room;
    await say(services, orgId, { turns: [RULE, "ok", OTHER], force: true });
    const revoked = await idOf(orgId, RULE);
    let isOver = false;
    const base = services.database(orgId);
    const racing = {
      ...services,
      database: () =>
        new Proxy(base, {
          get(target, property) {
            if (property !== "batch") {
              const value = Reflect.get(target, property);
              return typeof value === "function" ? value.bind(target) : value;
            }
            return async (statements: Parameters<typeof base.batch>[0]) => {
              if (!isOver && statements.some(({ text }) => text.includes("INSERT INTO windows"))) {
                isOver = true;
                await revokeNow(scope, turnsOf([revoked], "ada"));
              }
              return base.batch(statements);
            };
          },
        }),
    };
    await consumeAll(racing, orgId);
    expect(isOver).toBe(true);
    expect((await windowsOf(orgId)).map(({ state }) => state).sort()).toEqual(["applied", "invalidated"]);
    expect(await currentOf(orgId)).toEqual(["ask how it went"]);
    expect(reasoner.calls.filter((task) => task === "extract")).toHaveLength(1);
  });

  it("cannot be applied over a revoked turn whatever was read before", async () => {
    const { orgId, services, scope } = newRoom();
    await say(services, orgId, { turns: [RULE, "ok"] });
    const [first = 0, second = 0] = await ids(orgId);
    await revokeNow(scope, turnsOf([first], "ada"));
    const over = (manifest: number[]) =>
      db.batch([
        manifestGuard({
          ...{
            orgId,
            windowId: "w",
            userId: "ada",
            kind: "playbook",
            manifest,
            endSeq: second,
            force: false,
          },
          ...{ skipAggregation: false, configHash: "", agentVersion: "v1", requestId: "r", source: "" },
          ...{ state: "computed", progress: noProgress },
        }),
      ]);
    await expect(over([first, second])).rejects.toMatchObject({ guard: "sources" });
    await expect(over([second])).resolves.toBeDefined();
  });
});

describe("revoked turns", () => {
  it("are neither new turns nor context of any later window; the others still are", async () => {
    const shown: string[][] = [];
    const { orgId, services, scope } = newRoom({
      answers: {
        extract: ({ turns }) => {
          shown.push(turns.map(({ content }) => content));
          return { playbooks: [] };
        },
      },
    });
    await say(services, orgId, { turns: [RULE, "ok"], force: true });
    await consumeAll(services, orgId);
    await say(services, orgId, { turns: [OTHER, "fine"] });
    await revokeNow(scope, turnsOf([await idOf(orgId, RULE), await idOf(orgId, OTHER)], "ada"));
    await say(services, orgId, { turns: ["thanks", "you are welcome"], force: true });
    await consumeAll(services, orgId);
    expect(shown.slice(1).flat()).toEqual(["ok", "fine", "thanks", "you are welcome"]);
  });

  it("force no window: a forced request whose turns are all revoked is no barrier", async () => {
    const { orgId, services, scope } = newRoom();
    await say(services, orgId, { turns: chatter(2) });
    await say(services, orgId, { turns: [RULE], force: true });
    await revokeNow(scope, turnsOf([await idOf(orgId, RULE)], "ada"));
    await consumeAll(services, orgId);
    expect(await windowsOf(orgId)).toEqual([]);
  });

  it("do not bring their rule back when the same conversation is read again", async () => {
    const { orgId, services, scope } = newRoom();
    await say(services, orgId, { turns: [RULE, "ok"], force: true });
    await consumeAll(services, orgId);
    await revokeNow(scope, turnsOf([await idOf(orgId, RULE)], "ada"));
    // The cursor goes back, as where a stream is read anew.
    await db.run(sql`UPDATE cursors SET completed_seq = 0, started = 0 WHERE org_id = ${orgId}`);
    await say(services, orgId, { turns: ["hello"], force: true });
    await consumeAll(services, orgId);
    expect(await currentOf(orgId)).toEqual([]);
    expect((await rulesOf(orgId)).map(({ status }) => status)).toEqual(["pending"]);
  });

  it("stay out where a dead window that shows them is replayed", async () => {
    const { orgId, services, scope, reasoner } = newRoom();
    await say(services, orgId, { turns: [RULE, "ok"], force: true });
    await consumeAll(services, orgId);
    await db.batch([
      sql`UPDATE windows SET state = 'dead' WHERE org_id = ${orgId}`,
      sql`DELETE FROM user_playbooks WHERE org_id = ${orgId}`,
      sql`INSERT INTO dead_letters (org_id, dead_letter_id, topic, key, reason, message, attempts, created_at)
          SELECT ${orgId}, 'letter', 'extraction', json_array('ada', 'playbook', window_id), 'unusable', '', 1, 1
          FROM windows WHERE org_id = ${orgId}`,
    ]);
    await revokeNow(scope, wholeUser("ada"));
    const asked = reasoner.calls.length;
    await replayDeadLetter(services, orgId, "letter", { principal: scope.principal, requestId: "r" });
    await deliver({ orgId, services }, "extraction");
    expect(await rulesOf(orgId)).toEqual([]);
    expect(await windowsOf(orgId)).toMatchObject([{ state: "invalidated" }]);
    expect(reasoner.calls).toHaveLength(asked);
  });

  it("count as erased in what is told of their request", async () => {
    const { orgId, services, scope } = newRoom();
    await say(services, orgId, { turns: ["one", "two"], requestId: "short" });
    const status = () => learningStatusOf(db, orgId, "short", services.clock.nowMs());
    expect(await status()).toMatchObject({ status: "pending" });
    await revokeNow(scope, turnsOf(await ids(orgId), "ada"));
    expect(await status()).toEqual({ status: "done", reason: "inputs_erased" });
  });
});
