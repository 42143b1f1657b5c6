/**
 * What agents report (section c.9): content is data; repeats of a dedupe key start nothing, an agent that reports
 * too much is slowed down, and none starts a run that it could approve itself.
 */
import * as z from "zod";
import type { FindingTrigger, PlaybookDocument } from "../model";
import { isApprover } from "../run/gates/approvers";
import type { Principal } from "../run/model";
import { DEFAULTS, LIMITS, SEVERITIES } from "../spec";
import { mayChain } from "./chaining";
import { meetsFilters } from "./filters";
import { type Listener, startListeners } from "./listeners";
import type {
  AgentFinding,
  InputFault,
  TriggerApplied,
  TriggerContext,
  TriggerEvent,
  TriggerReply,
  TriggerState,
} from "./model";
import { isEnabled, newestPlaybooks, triggersOf } from "./playbooks";
import { withInput } from "./starting";

type Report = Extract<TriggerEvent, { type: "agent_finding" }>;

const findingSchema: z.ZodType<AgentFinding> = z.looseObject({
  type: z.string().min(1),
  severity: z.enum(SEVERITIES),
  summary: z.string().exactOptional(),
  evidence: z.array(z.json()).exactOptional(),
  dedupeKey: z.string().exactOptional(),
});
const MINUTE_MS = 60_000;

export function receiveFinding(
  state: TriggerState,
  report: Report,
  nowMs: number,
  context: TriggerContext,
): TriggerApplied {
  const answer = (reply: Partial<TriggerReply> & { status: number }): TriggerApplied => ({
    state,
    starts: [],
    records: [],
    reply: { runs: [], ignored: [], ...reply },
  });
  const read = findingSchema.safeParse(report.payload);
  if (!read.success) return answer({ status: 422, code: "finding_invalid", faults: faultsOf(read.error) });
  const finding = read.data;

  const dedupeKey =
    finding.dedupeKey === undefined ? null : JSON.stringify([report.agent, finding.dedupeKey]);
  const earlier = dedupeKey === null ? undefined : state.findings[dedupeKey];
  if (earlier && nowMs - earlier.atMs < LIMITS.dedupeSeconds * 1000) {
    return answer({ status: 200, code: "deduped" });
  }
  const lately = (state.findingTimes[report.agent] ?? []).filter((atMs) => nowMs - atMs < MINUTE_MS);
  if (lately.length >= LIMITS.findingsPerMinute) return answer({ status: 429, code: "rate_limited" });

  const reporter = reporterOf(report);
  const noted: TriggerState = {
    ...state,
    findingTimes: { ...state.findingTimes, [report.agent]: [...lately, nowMs] },
    findings: dedupeKey === null ? state.findings : { ...state.findings, [dedupeKey]: { atMs: nowMs } },
  };
  const listeners = listenersTo(noted, report, finding, reporter);
  const applied = startListeners(noted, listeners, nowMs, context, {
    identity: ["agent_finding", report.agent, state.sequence],
    trigger: { kind: "agent_finding" },
    payload: report.payload,
    by: reporter,
    ...(report.chain === undefined ? {} : { chain: report.chain }),
  });
  return { ...applied, reply: { status: 202, ...applied.told } };
}

const faultsOf = (error: z.ZodError): InputFault[] =>
  error.issues.map(({ path, message }) => ({
    pointer: path.map((key) => `/${String(key)}`).join(""),
    message,
  }));

const reporterOf = ({ agent, role }: Report): Principal => ({
  id: agent,
  roles: role === undefined ? [] : [role],
});

function listenersTo(
  state: TriggerState,
  report: Report,
  finding: AgentFinding,
  reporter: Principal,
): Listener[] {
  const listeners: Listener[] = [];
  for (const known of newestPlaybooks(state)) {
    const selected = triggersOf(known.document, "agent_finding").filter((trigger) =>
      selects(trigger, report, finding),
    );
    if (selected.length === 0) continue;
    const enabled = selected.filter(isEnabled);
    const met = enabled.find((trigger) => meetsFilters(trigger.filters, report.payload));
    const { playbookId } = known.document.playbook;
    const chain = report.chain ?? [];
    if (!met) listeners.push({ known, why: enabled.length === 0 ? "disabled" : "filter_mismatch" });
    else if (!mayChain(playbookId, chain.length, chain)) listeners.push({ known, why: "chain_guard" });
    else if (couldApprove(known.document, reporter)) listeners.push({ known, why: "self_approval" });
    else listeners.push({ known, payload: withInput(met.input, report.payload) });
  }
  return listeners;
}

/** Selectors that a trigger does not name select everything. */
function selects(trigger: FindingTrigger, report: Report, finding: AgentFinding): boolean {
  if (trigger.agent !== undefined && trigger.agent !== report.agent) return false;
  if (trigger.role !== undefined && trigger.role !== report.role) return false;
  if (trigger.findingType !== undefined && trigger.findingType !== finding.type) return false;
  const { minSeverity } = trigger;
  return minSeverity === undefined || rankOf(finding.severity) >= rankOf(minSeverity);
}

const rankOf = (severity: AgentFinding["severity"]): number => SEVERITIES.indexOf(severity);

/** Whether a gate of the document, written or put in by its guardrails, would take this principal's word. */
function couldApprove({ playbook }: PlaybookDocument, principal: Principal): boolean {
  const gates = playbook.steps.flatMap((step) => {
    const target = step.kind === "map" && typeof step.itemStep === "object" ? step.itemStep : step;
    return target.kind === "approval" ? [target.approver] : [];
  });
  if (playbook.guardrails.requiresApprovalFor.length > 0) gates.push(DEFAULTS.gateApprover);
  return gates.some((approver) => isApprover(approver, principal));
}
