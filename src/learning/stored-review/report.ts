/** A review that writes nothing: what an applied one would decide, rule by rule. */
import type { RequestScope } from "../../http/route";
import { loadConfig } from "../../orgs/config-store";
import type { UserPlaybook } from "../../playbooks/model";
import type { RuleText } from "../model";
import { decide, reviewerOf } from "./decide";
import { stopCodeOf } from "./faults";
import { type Counts, countOf, noCounts, type Selection, type StopCode, type StoredDecision } from "./model";
import type { Simulation } from "./others";
import { selectRules } from "./run-store";

/** A report is given up in time for a client that waits ten minutes. */
const MAX_REPORT_MS = 540_000;

export interface Reported {
  userPlaybookId: number;
  decided: StoredDecision;
}

export interface Report {
  selected: number;
  counts: Counts;
  reported: Reported[];
  /** Why it ended early; null where it did not. */
  stop: StopCode | "out_of_time" | null;
}

/** What an applied review would have changed before the next rule has its turn (trap 72). */
function simulated(simulation: Simulation, row: UserPlaybook, decided: StoredDecision): Simulation {
  if (decided.decision !== "edit" && decided.decision !== "reject") return simulation;
  const gone = new Set([...simulation.gone, row.userPlaybookId]);
  if (decided.decision === "reject" || row.userId === null) return { ...simulation, gone };
  const { trigger, content, rationale } = decided.lesson;
  const rule: RuleText = { trigger, content, rationale };
  return {
    gone,
    proposed: [...simulation.proposed, { userId: row.userId, agentVersion: row.agentVersion, rule }],
  };
}

/** @returns null where the org learns no rules */
export async function reportReview(scope: RequestScope, selection: Selection): Promise<Report | null> {
  const { services, db, orgId } = scope;
  const { config } = await loadConfig(db, orgId, services.clock);
  const reviewer = reviewerOf(services, db, services.reasoner(orgId), config);
  if (reviewer === null) return null;
  const endMs = services.clock.nowMs() + MAX_REPORT_MS;
  const rows = await selectRules(db, orgId, selection);
  const counts = { ...noCounts };
  const reported: Reported[] = [];
  let simulation: Simulation = { gone: new Set(), proposed: [] };
  const until = (stop: Report["stop"]): Report => ({ selected: rows.length, counts, reported, stop });
  for (const row of rows) {
    if (services.clock.nowMs() >= endMs) return until("out_of_time");
    try {
      const { judgement } = await decide(reviewer, row, simulation);
      const decided: StoredDecision = judgement ?? { decision: "skip" };
      simulation = simulated(simulation, row, decided);
      counts[countOf[decided.decision]] += 1;
      reported.push({ userPlaybookId: row.userPlaybookId, decided });
    } catch (error) {
      const stop = stopCodeOf(error);
      if (stop === null) throw error;
      services.log.warn("review.report_stopped", { code: stop });
      return until(stop);
    }
  }
  return until(null);
}
