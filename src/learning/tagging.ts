/**
 * Topic `tagging`, key `[userId, agentVersion]`: tags the user's rules that have none (specification 6.8). A
 * message only says that there may be such rules, so one that comes twice finds nothing to do.
 */
import { claimLease, keepingLease, releaseLease } from "../db/leases";
import type { Work } from "../db/outbox";
import { loadConfig } from "../orgs/config-store";
import { dayOf } from "../orgs/usage";
import { derivedId } from "../platform/ids";
import { taggingDefinition } from "../playbooks/tagging";
import { setTags, type UntaggedRule, untaggedRules } from "../playbooks/tags-store";
import type { Services } from "../services";
import { askWithRepair } from "./ask";
import type { WorkResult } from "./consumer";
import { writeDeadLetter } from "./dead-letter-store";
import { verdictOf } from "./faults";
import { addCounts } from "./store";
import { judgeTags, ruleLabel } from "./tags";

/** Rules of one call; calls of one invocation, after which the rest comes back at once. */
const RULES_PER_CALL = 20;
const MAX_CALLS = 4;
const LEASE_MS = 60_000;
/** How long to wait for whoever tags the same rules now. */
const BUSY_RETRY_MS = 2_000;

interface Whose {
  orgId: string;
  userId: string;
  agentVersion: string;
}

/** Tags of the rules by position; null where the adapter cannot tag. @throws ReasonerError */
async function tagsOf(
  services: Services,
  orgId: string,
  definition: string,
  rules: readonly UntaggedRule[],
): Promise<string[][] | null> {
  const input = {
    definition,
    rules: rules.map(({ trigger, content, rationale }, position) => ({
      label: ruleLabel(position),
      trigger,
      content,
      rationale,
    })),
  };
  const { value } = await askWithRepair<"tag", string[][] | null>(
    services.reasoner(orgId),
    "tag",
    input,
    ({ assignments }) => (assignments === null ? { value: null } : judgeTags(rules.length, assignments)),
    "tags_invalid",
  );
  return value;
}

async function tagAll(services: Services, whose: Whose, definition: string): Promise<WorkResult> {
  const db = services.database(whose.orgId);
  for (let call = 0; call < MAX_CALLS; call += 1) {
    const rules = await untaggedRules(db, whose, RULES_PER_CALL);
    if (rules.length === 0) return "done";
    const tags = await tagsOf(services, whose.orgId, definition, rules);
    if (tags === null) {
      services.log.info("tagging.not_offered", { rules: rules.length });
      return "done";
    }
    const tagged = rules.map(({ userPlaybookId, updatedAtMs }, position) => ({
      userPlaybookId,
      updatedAtMs,
      tags: tags[position] ?? [],
    }));
    await db.run(setTags(whose.orgId, tagged));
  }
  return { retryInMs: 0 };
}

/** What a failed call means: later, or a dead letter that can be replayed. @throws what is no fault of a port */
async function act(services: Services, work: Work, whose: Whose, error: unknown): Promise<WorkResult> {
  const nowMs = services.clock.nowMs();
  const verdict = verdictOf(error, work.attempts + 1, nowMs);
  if (verdict === null) throw error;
  services.log.warn("tagging.failed", { work: work.id, verdict: verdict.kind, code: verdict.code });
  if (verdict.kind !== "dead") return { retryInMs: verdict.delayMs };
  const { orgId, userId, agentVersion } = whose;
  await services.database(orgId).batch([
    writeDeadLetter(orgId, {
      deadLetterId: await derivedId("dead", [orgId, "tagging", userId, agentVersion]),
      topic: "tagging",
      key: work.key,
      reason: verdict.code,
      message: verdict.message,
      attempts: work.attempts + 1,
      createdAt: Math.floor(nowMs / 1000),
    }),
    ...addCounts(orgId, dayOf(nowMs), { [`dead:${verdict.code}`]: 1 }),
  ]);
  return "done";
}

/** An org whose Config no longer asks for tags has none to wait for. */
export async function runTagging(services: Services, work: Work): Promise<WorkResult> {
  const { orgId } = work;
  const [userId, agentVersion] = work.key;
  if (typeof userId !== "string" || typeof agentVersion !== "string") {
    services.log.error("tagging.key", { work: work.id });
    return "done";
  }
  const db = services.database(orgId);
  const definition = taggingDefinition((await loadConfig(db, orgId, services.clock)).config);
  if (definition === "") return "done";
  const whose = { orgId, userId, agentVersion };
  const key = `tagging:${JSON.stringify([userId, agentVersion])}`;
  const lease = await claimLease(db, orgId, key, services.ids.random("own"), LEASE_MS);
  if (lease === null) return { retryInMs: BUSY_RETRY_MS };
  try {
    return await keepingLease(db, lease, LEASE_MS, () => tagAll(services, whose, definition));
  } catch (error) {
    return await act(services, work, whose, error);
  } finally {
    // A lease that cannot be freed expires.
    await db.run(releaseLease(lease)).catch(() => services.log.warn("tagging.lease_kept", { work: work.id }));
  }
}
