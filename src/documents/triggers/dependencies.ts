/** Run-after-run chaining (section c.9, ruling 9): on terminal statuses alone, once for each upstream run. */
import * as z from "zod";
import type { DependencyTrigger, Json } from "../model";
import { DEFAULTS, OUTCOMES } from "../spec";
import { parseSemver } from "../text/semver";
import { parseSemverRange, satisfies } from "../text/semver-range";
import { mayChain } from "./chaining";
import { meetsFilters } from "./filters";
import { type Listener, startListeners } from "./listeners";
import type {
  KnownRun,
  TriggerApplied,
  TriggerContext,
  TriggerEvent,
  TriggerReply,
  TriggerState,
} from "./model";
import { systemPrincipal } from "./plan";
import { findPlaybook, isCalled, isEnabled, newestPlaybooks, triggersOf } from "./playbooks";
import { withInput } from "./starting";

type Completion = Extract<TriggerEvent, { type: "dependency" }>;

/** What an upstream completion says; what it leaves out is that of a run that just completed. */
const completionSchema = z.object({
  run: z
    .object({
      id: z.string().optional(),
      status: z.enum(OUTCOMES).default("completed"),
      reasonCode: z.string().default("terminator"),
      output: z.json().default(null),
      terminatorId: z.string().optional(),
      version: z.string().optional(),
    })
    .prefault({}),
  chainDepth: z.int().min(1).default(1),
  chain: z.array(z.string()).optional(),
});

export function receiveCompletion(
  state: TriggerState,
  completion: Completion,
  nowMs: number,
  context: TriggerContext,
): TriggerApplied {
  const read = completionSchema.safeParse(completion.payload);
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) => ({
      pointer: path.map((key) => `/${String(key)}`).join(""),
      message,
    }));
    const reply: TriggerReply = { status: 422, code: "completion_invalid", runs: [], ignored: [], faults };
    return { state, starts: [], records: [], reply };
  }
  const upstream = findPlaybook(state, completion.playbookId);
  const upstreamId = upstream?.document.playbook.playbookId ?? completion.playbookId;
  const { run, chainDepth, chain = [upstreamId] } = read.data;
  const runId = run.id ?? `upstream-${state.sequence}`;
  const payload: Json = {
    run: { id: runId, status: run.status, reasonCode: run.reasonCode, output: run.output },
    chainDepth,
    chain,
  };
  const facts = {
    names: [
      completion.playbookId,
      upstreamId,
      ...(upstream ? [upstream.document.playbook.manifest.slug] : []),
    ],
    status: run.status,
    terminatorId: run.terminatorId,
    version: run.version ?? upstream?.document.playbook.version,
  };

  const listeners: Listener[] = [];
  const chained = { ...state.chained };
  for (const known of newestPlaybooks(state)) {
    const { playbookId } = known.document.playbook;
    const triggers = triggersOf(known.document, "dependency").filter(
      (trigger) => facts.names.includes(trigger.playbookId) && isEnabled(trigger),
    );
    const met = triggers.find(
      (trigger) => concerns(trigger, facts) && meetsFilters(trigger.filters, payload),
    );
    if (!met) continue;
    const key = JSON.stringify([runId, playbookId]);
    if (Object.hasOwn(chained, key)) continue;
    chained[key] = true;
    if (mayChain(playbookId, chainDepth, chain))
      listeners.push({ known, payload: withInput(met.input, payload) });
    else listeners.push({ known, why: "chain_guard" });
  }
  const applied = startListeners({ ...state, chained }, listeners, nowMs, context, {
    identity: ["dependency", runId],
    trigger: { kind: "dependency" },
    payload,
    by: systemPrincipal("dependency"),
    chain,
  });
  return { ...applied, reply: { status: 202, ...applied.told } };
}

interface UpstreamFacts {
  names: string[];
  status: (typeof OUTCOMES)[number];
  terminatorId: string | undefined;
  version: string | undefined;
}

function concerns(trigger: DependencyTrigger, facts: UpstreamFacts): boolean {
  const statuses: readonly string[] = trigger.on ?? DEFAULTS.dependencyOn;
  if (!statuses.includes(facts.status)) return false;
  if (trigger.terminator !== undefined && trigger.terminator !== facts.terminatorId) return false;
  if (trigger.versionRange === undefined) return true;
  const range = parseSemverRange(trigger.versionRange);
  const version = facts.version === undefined ? null : parseSemver(facts.version);
  return range !== null && version !== null && satisfies(version, range);
}

/** What the end of a run of this host tells the others; null for a test run, which starts none. */
export function completionOf(state: TriggerState, run: KnownRun): Completion | null {
  const { outcome, start } = run;
  if (outcome === null || run.test || !concernsAnyone(state, start.playbookId)) return null;
  const { status, reasonCode, output, terminatorId } = outcome;
  return {
    type: "dependency",
    playbookId: start.playbookId,
    payload: {
      run: {
        id: start.runId,
        status,
        reasonCode,
        output,
        version: start.version,
        ...(terminatorId === undefined ? {} : { terminatorId }),
      },
      chainDepth: start.chain.length + 1,
      chain: [...start.chain, start.playbookId],
    },
  };
}

function concernsAnyone(state: TriggerState, playbookId: string): boolean {
  const upstream = findPlaybook(state, playbookId);
  if (!upstream) return false;
  for (const { document } of newestPlaybooks(state)) {
    const triggers = triggersOf(document, "dependency");
    if (triggers.some((trigger) => isCalled(upstream.document, trigger.playbookId))) return true;
  }
  return false;
}
