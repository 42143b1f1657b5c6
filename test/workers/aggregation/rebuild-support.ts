/** Rebuilds in the small world of aggregation: start one, run its turns, look at what it left. */
import * as z from "zod";
import { startAggregation } from "../../../src/aggregation/operations";
import { findOperation, type Operation } from "../../../src/aggregation/operations-store";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { sql } from "../../../src/db/sql";
import type { Services } from "../../../src/services";
import type { SeedRule, World } from "./support";

/** Pairs of alike rules, each about a subject of its own. */
const subjects = [
  ["parcel", "Look the parcel up yourself and tell its place"],
  ["invoice", "Attach the invoice as a document"],
  ["password", "Send the reset mail before anything else"],
  ["garden", "Recommend native plants with little water"],
  ["recipe", "Offer weights in grams only"],
  ["flight", "Name the terminal and the gate"],
  ["bicycle", "Ask for the frame size first"],
  ["medicine", "Point to the pharmacist before dosing"],
] as const;

/** Two users' rules about each of `count` subjects, with ids from `firstId` on. */
export const pairs = (count: number, firstId = 1): SeedRule[] =>
  Array.from({ length: count }, (_, index) => {
    const [subject = "", content = ""] = subjects[index % subjects.length] ?? [];
    const name = index < subjects.length ? subject : `${subject}${index}`;
    const trigger = `Somebody asks about the ${name}`;
    return [
      { id: firstId + 2 * index, userId: "ana", trigger, content: `${content} (${name}).` },
      { id: firstId + 2 * index + 1, userId: "ben", trigger, content: `${content} (${name}) now.` },
    ];
  }).flat();

export async function startRebuild(world: World, requestId = "req"): Promise<string> {
  const start = await startAggregation(world.services, {
    ...{ orgId: world.orgId, agentVersion: "v1", requestId },
  });
  if (start.operationId === null) throw new Error(`not started: ${start.message}`);
  return start.operationId;
}

export const operationOf = async (world: World, operationId: string): Promise<Operation> => {
  const operation = await findOperation(world.db, world.orgId, operationId);
  if (operation === null) throw new Error("the operation is gone");
  return operation;
};

const isOver = ({ status }: Operation) => status === "succeeded" || status === "failed";

/** Runs turns until the operation is over. @returns it, and how many turns it took */
export async function finish(
  world: World,
  operationId: string,
  services: Services = world.services,
  maxTurns = 30,
): Promise<{ operation: Operation; turns: number }> {
  for (let turns = 1; turns <= maxTurns; turns += 1) {
    const { nextInMs } = await runAggregationTurn(services, world.orgId, "v1");
    const operation = await operationOf(world, operationId);
    if (isOver(operation)) return { operation, turns };
    world.clock.advance(nextInMs ?? 0);
  }
  throw new Error(`not over after ${maxTurns} turns`);
}

export const rebuild = async (world: World, requestId = "req") =>
  finish(world, await startRebuild(world, requestId));

/** How many rows of each staging table the org has. */
export const staged = async (world: World) =>
  (
    await world.db.all(
      z.object({ rebuilds: z.int(), rows: z.int(), clusters: z.int() }),
      sql`SELECT (SELECT count(*) FROM rebuilds WHERE org_id = ${world.orgId}) AS rebuilds,
            (SELECT count(*) FROM rebuild_rows WHERE org_id = ${world.orgId}) AS rows,
            (SELECT count(*) FROM rebuild_clusters WHERE org_id = ${world.orgId}) AS clusters`,
    )
  )[0];

/** Everything that a rebuild may change, as one text. */
export async function published(world: World): Promise<string> {
  const tables = [
    "agent_playbooks",
    "agent_playbook_sources",
    "clusters",
    "aggregation_items",
    "lineage",
    "vectors",
  ];
  const results = await world.db.batch(
    tables.map((table) => ({ text: `SELECT * FROM ${table} WHERE org_id = ?`, params: [world.orgId] })),
  );
  return JSON.stringify(results.map(({ rows }) => rows));
}
