/**
 * The contract between what starts runs and its host, in the form of the run's own (`run/model.ts`): events are
 * stored first, planned starts come out, the state is JSON and can be folded again. Section c.9 and rulings 5, 9,
 * 14, 19, 27, 28 and 34.
 */
import type { Json, JsonObject, PlaybookDocument, Severity } from "../model";
import type { Principal, PublicOutcome, RunStart } from "../run/model";

/** What an agent reports. Its content is data, never an instruction. */
export interface AgentFinding {
  type: string;
  severity: Severity;
  summary?: string;
  evidence?: Json[];
  dedupeKey?: string;
}

/** What happened outside. Stored in order, and enough to rebuild the state. */
export type TriggerEvent =
  | { type: "publish"; document: PlaybookDocument }
  | {
      type: "webhook";
      source: string;
      event: string;
      payload: Json;
      deliveryId?: string;
      signature: "valid" | "invalid" | "missing";
    }
  | { type: "manual"; playbookId?: string; payload: Json; by: Principal | null }
  /** `chain`: the playbooks of the runs that led to the finding. */
  | { type: "agent_finding"; agent: string; role?: string; payload: Json; chain?: string[] }
  /** An upstream completion, from this host or told by another. */
  | { type: "dependency"; playbookId: string; payload: Json }
  /** The schedule's next slot is due, or was due while nobody looked. */
  | { type: "schedule.due"; triggerKey: string }
  /** A run of this very document, whatever its triggers say; it need not be published. */
  | {
      type: "start";
      document: PlaybookDocument;
      trigger: RunStart["trigger"];
      payload: Json;
      config: JsonObject;
      by: Principal;
    }
  | { type: "run.ended"; runId: string; outcome: PublicOutcome };

/** Why a playbook that listens did not run. */
export type IgnoredReason =
  | "not_published"
  | "disabled"
  | "filter_mismatch"
  | "chain_guard"
  | "self_approval"
  | "secret_missing"
  | "config_invalid";

export interface Ignored {
  playbook: string;
  why: IgnoredReason;
}

/** One thing that is wrong with an input. */
export interface InputFault {
  pointer: string;
  message: string;
}

/** What the sender is told. */
export interface TriggerReply {
  status: number;
  code?: string;
  /** Ids of the runs that it started; of a repeated delivery, those that the first one started. */
  runs: string[];
  ignored: Ignored[];
  faults?: InputFault[];
}

/** `schedule.skipped`, `schedule.buffered`, `trigger.ignored`, `trigger.chain_guard` (ruling 27). */
export interface HostRecord {
  type: string;
  subject?: string;
  atMs: number;
  data?: JsonObject;
}

/** A run that is to be created, pinned to one version. */
export interface PlannedStart {
  start: RunStart;
  /** Of a schedule, for its overlap policy. */
  triggerKey?: string;
  /** A test run starts no other. */
  test: boolean;
}

export interface KnownRun extends PlannedStart {
  outcome: PublicOutcome | null;
}

export interface ScheduleState {
  playbookId: string;
  triggerIndex: number;
  /** The slot itself and, with its jitter, when it is due; null when there is none. */
  next: { slotMs: number; dueMs: number } | null;
  /** A slot that waits for the run before it. */
  bufferedSlotMs: number | null;
}

export interface TriggerState {
  /** Deliveries and starts so far: tells apart what has no name of its own. */
  sequence: number;
  /** By content hash. */
  documents: Record<string, PlaybookDocument>;
  /** Of each playbook the newest version, in order of first publication. */
  newest: { playbookId: string; contentHash: string }[];
  /** By `playbookId#triggerId`. */
  schedules: Record<string, ScheduleState>;
  /** Every run that was started here, in order. */
  runs: Record<string, KnownRun>;
  /** By source and delivery id. */
  deliveries: Record<string, { atMs: number; reply: TriggerReply }>;
  /** By upstream run and downstream playbook. */
  chained: Record<string, true>;
  /** By agent and dedupe key. */
  findings: Record<string, { atMs: number }>;
  /** By agent: when its findings of the last minute came. */
  findingTimes: Record<string, number[]>;
}

/** What the host knows and a document does not. */
export interface TriggerContext {
  tenant: string;
  /** Names of the secrets that are bound. */
  secrets: readonly string[];
  /** How late a slot may be looked at and still count as on time. */
  graceMs: number;
}

export interface TriggerApplied {
  state: TriggerState;
  starts: PlannedStart[];
  records: HostRecord[];
  reply?: TriggerReply;
}
