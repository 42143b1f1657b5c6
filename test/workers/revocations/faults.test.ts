/** Every call of a port fails once; a revocation ends where it would have ended. */
import { describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import { countedPorts } from "../../support/ports";
import { agentsOf, db, deliver, revokeNow, scopeOf, twoRules, usersOf, wholeUser } from "./support";

/** Everything that a revocation leaves behind, up to generated ids. */
async function stateOf(orgId: string) {
  const results = await db.batch([
    sql`SELECT entity_type, entity_id, from_status, to_status, reason FROM lineage WHERE org_id = ${orgId}
        ORDER BY entity_type, entity_id`,
    sql`SELECT action, count(*) AS n FROM audit WHERE org_id = ${orgId} GROUP BY action ORDER BY action`,
    sql`SELECT state, touched FROM revocations WHERE org_id = ${orgId}`,
    sql`SELECT topic, key FROM outbox WHERE org_id = ${orgId} GROUP BY topic, key ORDER BY topic, key`,
    sql`SELECT agent_version, pending FROM aggregation_states WHERE org_id = ${orgId}`,
  ]);
  const users = (await usersOf(orgId)).map(({ updated: _, ...row }) => row);
  return { rows: results.map((result) => result.rows), users, agents: await agentsOf(orgId) };
}

describe("every call of a port fails once", () => {
  it("before or after its effect, and the revocation ends where it would have ended", async ({ task }) => {
    const run = async (fault: Parameters<typeof countedPorts>[0]) => {
      const room = await twoRules();
      const ports = countedPorts(fault, {
        ...{ clock: room.clock, embedder: room.services.embedder },
      });
      const scope = scopeOf(room.orgId, ports.services);
      for (let tries = 0; tries < 3; tries += 1) {
        try {
          await revokeNow(scope, wholeUser());
          break;
        } catch {
          // The caller tries again.
        }
      }
      await deliver(room, "revocation");
      return { ports, orgId: room.orgId };
    };
    const clean = await run(null);
    const expected = await stateOf(clean.orgId);
    expect(expected.rows[2]).toMatchObject([{ state: "done" }]);
    const { calls } = clean.ports;
    expect(calls.length).toBeGreaterThan(8);
    for (let call = 1; call <= calls.length; call += 1) {
      for (const when of ["before", "after"] as const) {
        const { ports, orgId } = await run({ call, when });
        expect(ports.hit()).toBe(true);
        expect({ call, when, state: await stateOf(orgId) }).toEqual({ call, when, state: expected });
      }
    }
    task.meta.measured = `revocation: ${calls.length} port calls, ${calls.length * 2} faults injected`;
  }, 120_000);
});
