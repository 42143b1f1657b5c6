/** Everything that the page of one user playbook shows. */
import type { RequestScope } from "../../http/route";
import { type Mark, markFinder } from "../../playbooks/evidence-marks";
import { tombstoneStatuses, type UserPlaybook } from "../../playbooks/model";
import { loadUserPlaybooks } from "../../playbooks/store";
import {
  loadProvingTurns,
  loadSupportedRules,
  loadUserPlaybookEvents,
  type ProvingTurn,
  type RuleEvent,
  type SupportedRule,
} from "../../playbooks/user-proof-store";
import { type Uses, usesOf } from "../../playbooks/uses";

/** Turns, characters of each, agent playbooks and events that the page shows. */
const MAX_TURNS = 20;
const MAX_TURN_CHARS = 3_000;
const MAX_SUPPORTED = 20;
const MAX_EVENTS = 50;

export interface Proof extends ProvingTurn {
  marks: Mark[];
}

export interface RuleInFull {
  rule: UserPlaybook;
  proofs: Proof[];
  /** Cited turns that are deleted or beyond the first 20. */
  turnsLeftOut: number;
  supported: SupportedRule[];
  uses: Uses | null;
  events: RuleEvent[];
}

/** Cited texts are joined by blank lines; a long turn is cut around the first of them. */
const firstQuote = (rule: UserPlaybook): string => (rule.sourceSpan ?? "").split("\n\n")[0] ?? "";

async function proofsOf({ db, orgId }: RequestScope, rule: UserPlaybook): Promise<Proof[]> {
  if (rule.userId === null) return [];
  const turns = await loadProvingTurns(db, orgId, {
    userId: rule.userId,
    interactionIds: rule.sourceInteractionIds.slice(0, MAX_TURNS),
    quote: firstQuote(rule),
    maxChars: MAX_TURN_CHARS,
  });
  const marksIn = markFinder();
  return turns.map((turn) => ({ ...turn, marks: marksIn(turn.content, rule.sourceSpan) }));
}

/** Null where the org has no such rule. */
export async function ruleInFull(scope: RequestScope, userPlaybookId: number): Promise<RuleInFull | null> {
  const { db, orgId } = scope;
  const [rule] = await loadUserPlaybooks(db, orgId, [userPlaybookId]);
  if (rule === undefined) return null;
  const [proofs, supported, uses, events] = await Promise.all([
    proofsOf(scope, rule),
    loadSupportedRules(db, orgId, userPlaybookId, MAX_SUPPORTED),
    usesOf(db, orgId, "user_playbook", [userPlaybookId]),
    loadUserPlaybookEvents(db, orgId, userPlaybookId, MAX_EVENTS),
  ]);
  return {
    rule,
    proofs,
    turnsLeftOut: rule.sourceInteractionIds.length - proofs.length,
    supported,
    uses: uses.get(userPlaybookId) ?? null,
    events,
  };
}

/** What is still known of a rule that is gone. */
export const eventsOfDeleted = ({ db, orgId }: RequestScope, userPlaybookId: number): Promise<RuleEvent[]> =>
  loadUserPlaybookEvents(db, orgId, userPlaybookId, MAX_EVENTS);

/** Rows that another row replaced are history: nobody changes them. */
export const isHistory = ({ status }: Pick<UserPlaybook, "status">): boolean =>
  tombstoneStatuses.some((tombstone) => tombstone === status);
