/** The review queue: pages that new rules never shift, filters, words, and counts beside them. */
import { describe, expect, it } from "vitest";
import type { NewAgentPlaybook } from "../../../src/playbooks/model";
import { type QueueCursor, type QueueFilter, queueOf } from "../../../src/playbooks/queue-store";
import { agentRule, newOrg, put, db as room } from "./rules";

const idsOf = async (orgId: string, filter: Partial<QueueFilter>) =>
  (await queueOf(room, orgId, { status: "pending", limit: 50, ...filter })).rows.map(
    (row) => row.agentPlaybookId,
  );

describe("the queue", () => {
  it("is read page by page, newest first, each rule once, also where many are of one second", async () => {
    const { orgId } = newOrg();
    await put(
      Array.from({ length: 23 }, (_, at) =>
        agentRule(orgId, at + 1, { createdAt: 100 + Math.floor(at / 7) }),
      ),
    );
    const seen: number[] = [];
    let before: QueueCursor | undefined;
    for (let page = 0; page < 9; page += 1) {
      const { rows, next } = await queueOf(room, orgId, { status: "pending", limit: 5, before });
      seen.push(...rows.map((row) => row.agentPlaybookId));
      // New rules come in while somebody reads.
      await put([agentRule(orgId, 1000 + page, { createdAt: 900 })]);
      if (next === null) break;
      before = next;
    }
    expect(seen).toEqual(Array.from({ length: 23 }, (_, at) => 23 - at));
  });

  it("ends where a page is just full", async () => {
    const { orgId } = newOrg();
    await put([agentRule(orgId, 1), agentRule(orgId, 2)]);
    expect((await queueOf(room, orgId, { status: "pending", limit: 2 })).next).toBeNull();
    expect((await queueOf(room, orgId, { status: "pending", limit: 1 })).next).toEqual({
      createdAt: agentRule(orgId, 2).createdAt,
      agentPlaybookId: 2,
    });
    expect(await queueOf(room, newOrg().orgId, { status: "pending", limit: 1 })).toEqual({
      rows: [],
      next: null,
      counts: { pending: 0, approved: 0, rejected: 0 },
    });
  });

  it("holds CURRENT rules of one status, narrowed by version, flags and words; counts follow all but the status", async () => {
    const { orgId } = newOrg();
    const other = newOrg();
    const rule = (id: number, overrides: Partial<NewAgentPlaybook>) => agentRule(orgId, id, overrides);
    await put([
      rule(1, { content: "Refund lost parcels.", flags: ["few_distinct_users"] }),
      rule(2, { content: "Track parcels.", agentVersion: "v2" }),
      rule(3, { content: "Refund at once.", playbookStatus: "approved" }),
      rule(4, { content: "Refund never.", playbookStatus: "rejected", flags: ["thin_support"] }),
      rule(5, { content: "Refund twice.", status: "superseded" }),
      rule(6, { content: "Greet by name." }),
    ]);
    await put([agentRule(other.orgId, 7, { content: "Refund here." })]);
    expect(await idsOf(orgId, {})).toEqual([6, 2, 1]);
    expect(await idsOf(orgId, { status: "approved" })).toEqual([3]);
    expect(await idsOf(orgId, { agentVersion: "v2" })).toEqual([2]);
    expect(await idsOf(orgId, { flagged: true })).toEqual([1]);
    expect(await idsOf(orgId, { flagged: false })).toEqual([6, 2]);
    expect(await idsOf(orgId, { query: "refunding a parcel" })).toEqual([2, 1]);
    expect(await idsOf(orgId, { query: "refunding a parcel", flagged: true, agentVersion: "v1" })).toEqual([
      1,
    ]);
    expect(await idsOf(orgId, { query: "  " })).toEqual([6, 2, 1]);
    expect(await idsOf(orgId, { query: '"*' })).toEqual([]);
    const counts = async (filter: Partial<QueueFilter>) =>
      (await queueOf(room, orgId, { status: "rejected", limit: 1, ...filter })).counts;
    expect(await counts({})).toEqual({ pending: 3, approved: 1, rejected: 1 });
    expect(await counts({ query: "refund" })).toEqual({ pending: 1, approved: 1, rejected: 1 });
    expect(await counts({ flagged: true })).toEqual({ pending: 1, approved: 0, rejected: 1 });
    expect(await counts({ before: { createdAt: 0, agentPlaybookId: 0 } })).toEqual({
      ...{ pending: 3, approved: 1, rejected: 1 },
    });
  });
});
