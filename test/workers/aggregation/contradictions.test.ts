/** Which approved rule a pending one contradicts or would replace, whichever of them comes first. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { recheckContradictions } from "../../../src/aggregation/contradictions";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { Database } from "../../../src/db/client";
import { completeWork, findWork } from "../../../src/db/outbox";
import { type Statement, sql } from "../../../src/db/sql";
import { addAgentPlaybooks } from "../../../src/playbooks/add";
import { removeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { decide, PARCEL, reviewer, taught, turn } from "./gate-support";
import { agentRules, makeWorld, seedRules, twoAlike, type World } from "./support";

const CODE = "About to show code";
const EXPLAIN = "First explain the idea, then show the code.";
const SKIP = "Skip explanations and show the code.";

/** Two rules in opposite directions, both pending. */
async function opposed(): Promise<{ world: World; explain: number; skip: number }> {
  const world = makeWorld();
  await seedRules(
    world,
    taught(
      CODE,
      EXPLAIN,
      SKIP,
      "Explain the idea before the code.",
      "Leave out explanations; the code comes at once.",
    ),
  );
  await turn(world);
  const rules = await agentRules(world);
  const idOf = (word: RegExp) => rules.find(({ content }) => word.test(content))?.id ?? 0;
  return { world, explain: idOf(/explain the idea/i), skip: idOf(/skip|leave out/i) };
}

/** Does the waiting looks for contradictions, each as often as it says. */
async function settle(world: World, times = 1): Promise<void> {
  const waiting = await world.db.all(
    z.object({ id: z.string() }),
    sql`SELECT id FROM outbox WHERE org_id = ${world.orgId} AND topic = 'contradictions'`,
  );
  for (const { id } of waiting) {
    const work = await findWork(world.db, { orgId: world.orgId, id });
    if (work === null) continue;
    for (let time = 0; time < times; time += 1) {
      expect(await recheckContradictions(world.services, work)).toBe("done");
    }
    await world.db.run(completeWork(work));
  }
}

const ruleOf = async (world: World, id: number) => (await agentRules(world)).find((rule) => rule.id === id);

describe("an approval", () => {
  it("flags the pending rule that it contradicts, names what that one would replace, and makes its readers look again", async () => {
    const { world, explain, skip } = await opposed();
    await settle(world);
    const before = await ruleOf(world, skip);
    expect(before).toMatchObject({ flags: "[]", replaces: null });
    await decide(world, explain, { playbookStatus: "approved" });
    await settle(world, 2);
    expect(await ruleOf(world, skip)).toMatchObject({
      flags: '["contradicts_approved"]',
      replaces: explain,
      version: (before?.version ?? 0) + 1,
    });
    expect(await ruleOf(world, explain)).toMatchObject({ flags: "[]", approval: "approved" });
  });

  it("stops flagging once it is taken back, rewritten or deleted", async () => {
    const ends: ((world: World, id: number) => Promise<unknown>)[] = [
      (world, id) => decide(world, id, { playbookStatus: "pending" }),
      (world, id) => decide(world, id, { playbookStatus: "rejected" }),
      (world, id) => decide(world, id, { content: "Show the code in a block." }),
      (world, id) => removeAgentPlaybook(reviewer(world), id),
    ];
    for (const end of ends) {
      const { world, explain, skip } = await opposed();
      await decide(world, explain, { playbookStatus: "approved" });
      await settle(world);
      await end(world, explain);
      await settle(world);
      expect((await ruleOf(world, skip))?.flags, end.toString()).toBe("[]");
    }
  });

  it("reaches a rule that somebody added, one that was reopened, and none of another version or org", async () => {
    const { world, explain, skip } = await opposed();
    await decide(world, skip, { playbookStatus: "rejected" });
    await decide(world, explain, { playbookStatus: "approved" });
    await addAgentPlaybooks(
      reviewer(world),
      ["v1", "v2"].map((agent_version) => ({
        agent_version,
        content: SKIP,
        trigger: CODE,
        playbook_status: "pending" as const,
      })),
    );
    await settle(world);
    const flagsOf = async (version: string) => (await agentRules(world, version)).at(-1)?.flags;
    expect(await flagsOf("v1")).toContain("contradicts_approved");
    expect(await flagsOf("v2")).not.toContain("contradicts_approved");
    expect((await ruleOf(world, skip))?.flags).toBe("[]");
    await decide(world, skip, { playbookStatus: "pending" });
    await settle(world);
    expect((await ruleOf(world, skip))?.flags).toBe('["contradicts_approved"]');
  });

  it("that comes in while a contrary rule is being made is seen by whichever is written second", async () => {
    for (const approvalIsFirst of [true, false]) {
      let explain = 0;
      const world: World = makeWorld({}, ({ sources }) => ({
        playbook: { trigger: CODE, content: sources[0]?.content ?? "", rationale: "" },
      }));
      await seedRules(world, taught(CODE, EXPLAIN, "Explain the idea before the code."));
      await turn(world);
      explain = (await agentRules(world))[0]?.id ?? 0;
      await settle(world);
      await seedRules(world, [
        { id: 11, userId: "cleo", trigger: CODE, content: SKIP },
        { id: 12, userId: "dan", trigger: CODE, content: "Leave out explanations; the code comes at once." },
      ]);
      world.clock.advance(3_600_000);
      // The turn has read what is approved; the approval comes just before its batch, or just after it.
      const approve = () => decide(world, explain, { playbookStatus: "approved" });
      let isDone = false;
      const disturbed = new (class extends Database {
        override async batch(statements: readonly Statement[]) {
          const makes =
            !isDone && statements.some(({ text }) => text.includes("INSERT INTO agent_playbooks"));
          if (makes) isDone = true;
          if (makes && approvalIsFirst) await approve();
          const results = await world.db.batch(statements);
          if (makes && !approvalIsFirst) await approve();
          return results;
        }
      })(env.DB);
      await runAggregationTurn({ ...world.services, database: () => disturbed }, world.orgId, "v1");
      expect(isDone).toBe(true);
      await settle(world);
      const skip = (await agentRules(world)).find(({ id }) => id !== explain);
      expect([skip?.flags, skip?.replaces], String(approvalIsFirst)).toEqual([
        '["contradicts_approved"]',
        explain,
      ]);
    }
  });

  it("never overwrites a rule that changes while it is compared: the look is taken again", async () => {
    const { world, explain, skip } = await opposed();
    await settle(world);
    await decide(world, explain, { playbookStatus: "approved" });
    const racing = new (class extends Database {
      override async batch(statements: readonly Statement[]) {
        if (statements.some(({ text }) => text.startsWith("UPDATE agent_playbooks"))) {
          await decide(world, skip, { content: "Show the code in a block." });
        }
        return world.db.batch(statements);
      }
    })(env.DB);
    const work = {
      id: "w",
      orgId: world.orgId,
      topic: "contradictions" as const,
      key: [explain],
      attempts: 0,
    };
    const services = { ...world.services, database: () => racing };
    expect(await recheckContradictions(services, work)).toEqual({ retryInMs: expect.any(Number) });
    expect(await ruleOf(world, skip)).toMatchObject({
      content: "Show the code in a block.",
      flags: "[]",
      replaces: null,
    });
    await settle(world);
    expect(await ruleOf(world, skip)).toMatchObject({ flags: "[]" });
  });
});

describe("what a new rule would replace", () => {
  const refreshed = async (world: World, id: number, content: string) => {
    await seedRules(world, [{ id, userId: `person${id}`, trigger: PARCEL, content }]);
    world.clock.advance(3_600_000);
    await turn(world);
  };
  const parcels = () =>
    makeWorld({}, ({ sources }) => ({
      playbook: { trigger: PARCEL, content: sources[0]?.content ?? "", rationale: "" },
    }));

  it("is nothing for the first of its kind, nor for one that follows a pending rule", async () => {
    const world = parcels();
    await seedRules(
      world,
      twoAlike.map((rule) => ({ ...rule, trigger: PARCEL })),
    );
    await turn(world);
    await refreshed(world, 3, "Look the parcel up and mention the depot.");
    expect((await agentRules(world)).map(({ replaces }) => replaces)).toEqual([null, null]);
  });

  it("is the approved rule of its cluster, also after another rule was made in between", async () => {
    const world = parcels();
    await seedRules(
      world,
      twoAlike.map((rule) => ({ ...rule, trigger: PARCEL })),
    );
    await turn(world);
    const [first] = await agentRules(world);
    await decide(world, first?.id ?? 0, { playbookStatus: "approved" });
    await refreshed(world, 3, "Look the parcel up and mention the depot.");
    await refreshed(world, 4, "Look the parcel up and mention the driver.");
    expect(await agentRules(world)).toMatchObject([
      { id: first?.id, approval: "approved", status: null, replaces: null },
      { status: "superseded", replaces: first?.id },
      { status: null, approval: "pending", replaces: first?.id },
    ]);
  });

  it("is else the approved rule that it contradicts", async () => {
    const world = makeWorld();
    await seedRules(world, taught(CODE, EXPLAIN, "Explain the idea before the code."));
    await turn(world);
    const [first] = await agentRules(world);
    await decide(world, first?.id ?? 0, { playbookStatus: "approved" });
    await seedRules(world, [
      { id: 11, userId: "cleo", trigger: CODE, content: SKIP },
      { id: 12, userId: "dan", trigger: CODE, content: "Leave out explanations; the code comes at once." },
    ]);
    world.clock.advance(3_600_000);
    await turn(world);
    expect((await agentRules(world))[1]).toMatchObject({
      flags: '["contradicts_approved"]',
      replaces: first?.id,
    });
  });
});
