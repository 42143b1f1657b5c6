/** A large revocation: out of service at once, and the rest in pages. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type BatchResult, Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import { listRevocations } from "../../../src/revocations/lift";
import { previewRevocation } from "../../../src/revocations/preview";
import { revoke } from "../../../src/revocations/revoke";
import { promptContext } from "../../../src/search/prompt-context";
import { learningServices } from "../learning/support";
import {
  agentsOf,
  count,
  db,
  deliver,
  newRoom,
  type Room,
  revokeNow,
  seedAgents,
  seedUsers,
  usersOf,
  wholeUser,
} from "./support";

const plain = () => learningServices().services;

describe("a user with 1,200 rules", () => {
  /** Approved rules first, so that their texts do not take the user's own. */
  const seed = async (room: Room) => {
    await seedUsers(
      room.orgId,
      ...Array.from({ length: 1_200 }, (_, at) => ({ userPlaybookId: at + 1, content: `parcel rule ${at}` })),
    );
    await seedAgents(
      room.orgId,
      ...Array.from({ length: 30 }, (_, at) => ({
        ...{ agentPlaybookId: at + 1, content: `parcel duty ${at}`, sources: [at * 40 + 1] },
      })),
    );
  };
  const contextOf = ({ services, orgId }: Room) =>
    promptContext(services, services.database(orgId), orgId, {
      ...{
        query: "parcel rule",
        agentVersion: "v1",
        userId: "mallory",
        maxTokens: 4_000,
        format: "markdown",
      },
    });

  it("is served nothing of them once the first batch is in, and what follows goes on in pages", async () => {
    const batches: { statements: number; written: number }[] = [];
    class Counting extends Database {
      override async batch(statements: readonly Statement[]): Promise<BatchResult[]> {
        const results = await super.batch(statements);
        const written = results.reduce((sum, result) => sum + result.rowsWritten, 0);
        if (written > 0) batches.push({ statements: statements.length, written });
        // The process dies right after the first batch.
        if (isDying && batches.length > 0) throw new Error("gone");
        return results;
      }
    }
    let isDying = true;
    const counting = new Counting(env.DB);
    const room = newRoom({ database: () => counting });
    await seed(room);
    expect((await contextOf({ ...room, services: plain() })).citations.length).toBeGreaterThan(10);
    const { token } = await previewRevocation({ db, orgId: room.orgId }, wholeUser());
    await expect(revoke(room.scope, wholeUser(), "flood", token)).rejects.toThrow("gone");
    expect(batches).toHaveLength(1);
    console.log(batches[0]?.written);
    expect((await contextOf({ ...room, services: plain() })).citations).toEqual([]);
    expect(await listRevocations({ db, orgId: room.orgId })).toMatchObject([{ state: "running" }]);

    isDying = false;
    batches.length = 0;
    await deliver(room, "revocation");
    expect(await listRevocations({ db, orgId: room.orgId })).toMatchObject([
      { state: "done", touched: { user_playbooks: 1_200, agent_playbooks: 30 } },
    ]);
    // Three pages of what follows, the end, and the queue's own note that the work is done.
    expect(batches.length).toBeLessThanOrEqual(6);
    for (const { written } of batches) expect(written).toBeLessThan(500 * 3);
    expect(await count(sql`outbox WHERE org_id = ${room.orgId} AND topic = 'vector'`)).toBe(1_230);
  });

  it("is worked off by the call itself, each rule exactly once", async () => {
    const room = newRoom();
    await seed(room);
    const revocation = await revokeNow(room.scope, wholeUser());
    expect(revocation).toMatchObject({
      state: "done",
      touched: { user_playbooks: 1_200, agent_playbooks: 30 },
    });
    expect(await count(sql`lineage WHERE org_id = ${room.orgId}`)).toBe(1_230);
    expect((await agentsOf(room.orgId)).every(({ approval }) => approval === "pending")).toBe(true);
    expect(new Set((await usersOf(room.orgId)).map(({ status }) => status))).toEqual(new Set(["pending"]));
  });
});
