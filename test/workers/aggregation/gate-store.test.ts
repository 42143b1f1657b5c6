/** What reading the support of a rule costs, and what it shows. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { loadGateSupport } from "../../../src/playbooks/gate-store";
import { PARCEL } from "./gate-support";
import { makeWorld, seedRules, type World } from "./support";

describe("reading the support of a rule", () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });

  it("takes one batch of three statements, shows one source of every user before anyone's second, and knows the flags of all", async () => {
    const rules = Array.from({ length: 260 }, (_, at) => ({
      id: at + 1,
      userId: at < 250 ? "chatty" : `person${at}`,
      trigger: PARCEL,
      content: at === 200 ? "Look the pаrсel up." : `Look parcel ${at} up.`,
    }));
    await seedRules(world, rules);
    const batches: number[] = [];
    const counting = new (class extends Database {
      override async batch(statements: readonly Statement[]) {
        batches.push(statements.length);
        return world.db.batch(statements);
      }
    })(env.DB);
    const thresholds = { minDistinctUsers: 2, minDistinctUsersSensitive: 3 };
    const support = await loadGateSupport(
      counting,
      world.orgId,
      rules.map(({ id }) => id),
      thresholds,
    );
    expect(batches).toEqual([3]);
    expect(support.sources).toHaveLength(200);
    expect(new Set(support.sources.slice(0, 11).map(({ userId }) => userId)).size).toBe(11);
    expect(support.sourceCount).toBe(260);
    expect(support.sourceFlags).toEqual(["look_alike"]);
    expect(await loadGateSupport(world.db, "another-org", [1, 2], thresholds)).toMatchObject({
      sourceCount: 0,
    });
  });

  it("finds rules, turns and requests by an index", async () => {
    const plans: string[] = [];
    const explaining = new (class extends Database {
      override async batch(statements: readonly Statement[]) {
        for (const { text, params } of statements) {
          const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
            .bind(...params)
            .all<{ detail: string }>();
          plans.push(...results.map(({ detail }) => detail));
        }
        return world.db.batch(statements);
      }
    })(env.DB);
    await loadGateSupport(explaining, world.orgId, [1], {
      minDistinctUsers: 2,
      minDistinctUsersSensitive: 3,
    });
    expect(plans.join("\n")).toContain("user_playbooks_by_id");
    expect(plans.join("\n")).toContain("interactions_stream");
    expect(plans.join("\n")).toContain("requests_by_id");
    expect(
      plans.filter((step) => /^SCAN (?!json_each|cited|f\b|s\b|wanted|\(subquery|CONSTANT|value)/.test(step)),
    ).toEqual([]);
  });
});
