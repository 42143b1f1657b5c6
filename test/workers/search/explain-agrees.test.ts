/** The explained search tells of the search and the block that there really are, of each rule, and only reads. */
import { describe, expect, it, vi } from "vitest";
import type { ExplainQuery } from "../../../src/search/explain";
import { searchModes } from "../../../src/search/hybrid";
import { promptContext } from "../../../src/search/prompt-context";
import { unifiedSearch } from "../../../src/search/unified";
import { asked, explain, mixedWorld, returned, servicesOf } from "./explain-support";

describe("an explained search", () => {
  it.each([1, 2, 3])(
    "returns what unified search returns and gives the block that the context gives: corpus %i",
    async (seed) => {
      const world = await mixedWorld(seed);
      const services = servicesOf(world);
      const cases: Partial<ExplainQuery>[] = searchModes.flatMap((mode) => [
        { mode },
        { mode, topK: 1, agentVersion: "v1", userId: "ann" },
        { mode, topK: 12, agentVersion: "v1", userId: "bob", sessionId: "met", maxTokens: 260 },
        { mode, topK: 50, agentVersion: "v2", threshold: 0.1, approvals: ["rejected"], format: "xml" },
        { mode, query: "@57 voucher", threshold: 0.99, agentVersion: "v1", userId: "ann", maxTokens: 400 },
        { mode, query: "nothing of this", agentVersion: "v1", approvals: [], format: "json" },
      ]);
      let sawAny = 0;
      for (const rest of cases) {
        const query = asked(rest);
        const found = await explain(world, rest);
        const plain = await unifiedSearch(services, world.d1.db, world.orgId, {
          ...query,
          entityTypes: ["user_playbooks", "agent_playbooks"],
        });
        const name = JSON.stringify(rest);
        expect(returned(found.userPlaybooks), name).toEqual(
          plain.userPlaybooks.map((rule) => rule.user_playbook_id),
        );
        expect(returned(found.agentPlaybooks), name).toEqual(
          plain.agentPlaybooks.map((rule) => rule.agent_playbook_id),
        );
        expect([found.degraded, found.effectiveMode]).toEqual([plain.degraded, plain.effectiveMode]);
        sawAny += plain.userPlaybooks.length + plain.agentPlaybooks.length;
        const { agentVersion, userId } = query;
        if (agentVersion === undefined) {
          expect(found.context).toBeNull();
          continue;
        }
        const context = await promptContext(services, world.d1.db, world.orgId, {
          ...{ query: query.query, agentVersion, maxTokens: query.maxTokens, format: query.format },
          ...(userId !== undefined && { userId }),
        });
        expect(found.context, name).toEqual({ ...context, threshold: found.context?.threshold });
        const cited = [...found.agentPlaybooks, ...found.userPlaybooks].flatMap(
          (rule) => rule.block?.tag ?? [],
        );
        expect(cited.toSorted(), name).toEqual(context.citations.map(({ tag }) => tag).toSorted());
        const noRoom = [...found.agentPlaybooks, ...found.userPlaybooks].filter(
          (rule) => rule.block?.why?.code === "no_room",
        );
        expect(noRoom, name).toHaveLength(context.omitted);
      }
      expect(sawAny).toBeGreaterThan(60);
    },
  );

  it.each([4, 5])(
    "leaves no rule that is not returned, or not in the block, without a reason: corpus %i",
    async (seed) => {
      const world = await mixedWorld(seed);
      const found = await explain(world, {
        ...{ agentVersion: "v1", userId: "ann" },
        sessionId: "met",
        topK: 3,
      });
      const codes = new Set<string>();
      for (const rule of [...found.userPlaybooks, ...found.agentPlaybooks]) {
        expect(rule.returned).toBe(rule.why === null);
        const code = rule.block?.why?.code;
        expect(rule.block?.tag != null).toBe(code === undefined || code === "contradicted_by_newer");
        for (const each of [rule.why?.code, code]) if (each !== undefined) codes.add(each);
      }
      expect([...codes]).toEqual(
        expect.arrayContaining(["below_threshold", "beyond_top_k", "not_approved", "served_to_session"]),
      );
    },
  );

  it("only reads, so that neither a session nor a decision counts as served", async () => {
    const world = await mixedWorld(6);
    const batch = vi.spyOn(world.d1.db, "batch");
    const written = () =>
      batch.mock.calls
        .flatMap(([statements]) => statements.map(({ text }) => text))
        .filter((text) => !text.startsWith("SELECT"));
    const query = { sessionId: "met", agentVersion: "v1", userId: "ann" };
    const first = await explain(world, query);
    expect(await explain(world, query)).toEqual(first);
    expect(batch.mock.calls.length).toBeGreaterThan(2);
    expect(written()).toEqual([]);
    const deferred: Promise<unknown>[] = [];
    const services = { ...servicesOf(world), defer: (work: Promise<unknown>) => void deferred.push(work) };
    await unifiedSearch(services, world.d1.db, world.orgId, {
      ...asked(query),
      entityTypes: ["user_playbooks", "agent_playbooks"],
    });
    await Promise.all(deferred);
    expect(written()).not.toEqual([]);
  });

  it("leaves the ordinary search at its four statements, and takes a bounded number itself", async () => {
    const world = await mixedWorld(7);
    const query = asked({ agentVersion: "v1", userId: "ann", sessionId: "met" });
    world.d1.batches.length = 0;
    await unifiedSearch(servicesOf(world), world.d1.db, world.orgId, {
      ...query,
      entityTypes: ["user_playbooks", "agent_playbooks"],
    });
    // The note of what was served is a batch of its own, beside the answer.
    expect(world.d1.batches[0]).toBe(4);
    world.d1.batches.length = 0;
    await explain(world, { agentVersion: "v1", userId: "ann", sessionId: "met" });
    expect(world.d1.batches.length).toBeLessThanOrEqual(11);
    expect(world.d1.batches.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(27);
  });
});
