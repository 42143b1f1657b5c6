/** A cluster that loses an erased user's rule is made again, although its approved rule owes that user nothing. */
import { expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { db } from "../learning/support";
import { aggregate, newWorld, OTHER, VERSION, VICTIM, type World, workOff } from "./support";

const SAID = { trigger: "When merging", content: "Open a pull request before merging." };

const clusterOf = async ({ tenant }: World) => {
  const rows = await db.all(
    z.object({ cluster_id: z.string(), state: z.string(), member_count: z.int() }),
    sql`SELECT cluster_id, state, member_count FROM clusters WHERE org_id = ${tenant.orgId}`,
  );
  expect(rows).toHaveLength(1);
  return rows[0];
};

const membersOf = async ({ tenant }: World) =>
  db.all(
    z.object({ user_id: z.string().nullable(), reason: z.string() }),
    sql`SELECT p.user_id, i.reason FROM aggregation_items i LEFT JOIN user_playbooks p ON p.org_id = i.org_id
        AND p.user_playbook_id = i.user_playbook_id WHERE i.org_id = ${tenant.orgId} ORDER BY p.user_id`,
  );

it("is made again of the others' rules, and its approved rule stays", async () => {
  const world = await newWorld();
  await world.ok("POST", "/api/add_user_playbook", {
    user_playbooks: [VICTIM, OTHER, "neighbour"].map((user) => ({
      ...{ user_id: user, agent_version: VERSION, request_id: `r-${user}`, playbook_name: "merging" },
      ...SAID,
    })),
  });
  await workOff(world);
  await aggregate(world);
  await workOff(world);
  const before = await clusterOf(world);
  expect(before).toMatchObject({ state: "active", member_count: 3 });
  const { agent_playbooks: made } = await world.ok("POST", "/api/get_agent_playbooks", {
    agent_version: VERSION,
    status_filter: [null],
  });
  const [rule] = z.array(z.object({ agent_playbook_id: z.int() })).parse(made);
  if (rule === undefined) throw new Error("nothing was made");
  await world.ok("PUT", "/api/update_agent_playbook_status", { ...rule, playbook_status: "approved" });

  await world.ok("POST", "/api/clear_user_data", { user_id: VICTIM });
  expect(await clusterOf(world)).toMatchObject({ cluster_id: before?.cluster_id, state: "rebuilding" });
  expect((await membersOf(world)).map((member) => member.user_id)).toEqual([OTHER, "neighbour"]);

  await workOff(world);
  world.clock.advance(3_600_000);
  await aggregate(world);
  await workOff(world);
  expect(await clusterOf(world)).toMatchObject({ state: "active", member_count: 2 });
  const { agent_playbooks: kept } = await world.ok("POST", "/api/get_agent_playbooks", {
    agent_version: VERSION,
    status_filter: [null],
  });
  expect(kept).toContainEqual(expect.objectContaining({ ...rule, playbook_status: "approved" }));
});
