/** Rules taught by several users, a turn over them, and a reviewer who decides. */
import * as z from "zod";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { parseConfig } from "../../../src/orgs/config";
import { forgetConfig, useConfig } from "../../../src/orgs/config-store";
import { type AgentPlaybookChange, changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { principal, scopeOf } from "../playbooks/client";
import { agentRules, makeWorld, type SeedRule, type World } from "./support";

export const PARCEL = "User asks where a parcel is";
/** Rules of one situation, each user's in words of their own. */
export const taught = (
  trigger: string,
  ...texts: (string | [user: string | null, text: string])[]
): SeedRule[] =>
  texts.map((entry, at) => {
    const [userId, content] = typeof entry === "string" ? [`person${at + 1}`, entry] : entry;
    return { id: at + 1, userId, trigger, content };
  });

export const turn = (world: World, agentVersion = "v1") =>
  runAggregationTurn(world.services, world.orgId, agentVersion);

export async function flagsMade(world: World): Promise<string[][]> {
  await turn(world);
  const rules = await agentRules(world);
  return rules
    .filter(({ status }) => status === null)
    .map(({ flags }) => z.array(z.string()).parse(JSON.parse(flags)));
}

/** A model that answers with one rule whatever it is shown. */
export const answering = (
  trigger: string,
  content: string,
  overrides: Parameters<typeof makeWorld>[0] = {},
) => makeWorld(overrides, () => ({ playbook: { trigger, content, rationale: "" } }));

export const configure = async (world: World, body: object) => {
  await world.db.batch((await useConfig(world.orgId, parseConfig(body), 1)).statements);
  forgetConfig(world.orgId);
};

export const reviewer = (world: World, services = world.services) =>
  scopeOf(principal("rita", "reviewer", world.orgId), { services });

export const decide = (world: World, id: number, change: AgentPlaybookChange) =>
  changeAgentPlaybook(reviewer(world), id, change);
