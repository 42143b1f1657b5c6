/** Documents and a driver for tests of what starts runs. */

import type { Json, JsonObject, PlaybookDocument, Trigger } from "../../../../../src/documents/model";
import type {
  PlannedStart,
  TriggerApplied,
  TriggerContext,
  TriggerEvent,
  TriggerReply,
  TriggerState,
} from "../../../../../src/documents/triggers/model";
import { applyTrigger, foldTriggers, NO_TRIGGERS } from "../../../../../src/documents/triggers/reducer";
import { validateDocument } from "../../../../../src/documents/validate";
import { example } from "../../support/documents";

const LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ";

/** A playbook of its own for each letter, with these triggers; `changes` go over the playbook. */
export function playbook(
  letter: string,
  triggers: readonly Trigger[],
  changes: object = {},
  requires: object = {},
): PlaybookDocument {
  if (!LETTERS.includes(letter)) throw new RangeError(`${letter} is no letter of an id.`);
  const document = example();
  const id = idOf(letter);
  const { manifest, ...rest } = objectOf(document.playbook);
  const value = {
    ...document,
    requires: { ...objectOf(document.requires), ...requires },
    playbook: {
      ...rest,
      playbookId: id,
      manifest: { ...objectOf(manifest), id, slug: `playbook-${letter.toLowerCase()}` },
      triggers,
      ...changes,
    },
  };
  const read = validateDocument({ text: JSON.stringify(value) }, { mode: "inspect" }).document;
  if (!read) throw new Error("The document cannot be read.");
  return read;
}

export const idOf = (letter: string): string => `plb_${letter.repeat(26)}`;

const objectOf = (value: Json | undefined): JsonObject => {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new TypeError("No object.");
  return value;
};

const NOTHING: TriggerReply = { status: 0, runs: [], ignored: [] };

/** Feeds events and keeps what came of them. */
export class Triggers {
  state: TriggerState = NO_TRIGGERS;
  nowMs = Date.UTC(2026, 0, 1);
  readonly starts: PlannedStart[] = [];
  readonly records: string[] = [];
  private readonly events: { atMs: number; event: TriggerEvent }[] = [];
  private readonly context: TriggerContext;

  constructor(secrets: string[] = []) {
    this.context = { tenant: "test", secrets, graceMs: 0 };
  }

  publish(...documents: PlaybookDocument[]): this {
    for (const document of documents) this.feed({ type: "publish", document });
    return this;
  }

  feed(event: TriggerEvent): TriggerApplied {
    this.events.push({ atMs: this.nowMs, event });
    const before = JSON.stringify(this.state);
    const applied = applyTrigger(this.state, event, this.nowMs, this.context);
    if (JSON.stringify(this.state) !== before) throw new Error("The state was changed in place.");
    this.state = JSON.parse(JSON.stringify(applied.state));
    this.starts.push(...applied.starts);
    this.records.push(
      ...applied.records.map(({ type, subject }) => (subject === undefined ? type : `${type}:${subject}`)),
    );
    return applied;
  }

  reply(event: TriggerEvent): TriggerReply {
    return this.feed(event).reply ?? NOTHING;
  }

  webhook(
    payload: Json,
    more: { deliveryId?: string; signature?: "invalid" | "missing"; event?: string } = {},
  ) {
    const event = {
      type: "webhook",
      source: "payments",
      event: "charge.failed",
      signature: "valid",
    } as const;
    return this.reply({ ...event, payload, ...more });
  }

  /** The run ends, with what an end looks like. */
  end(runId: string, changes: object = {}): void {
    const outcome = { status: "completed", reasonCode: "terminator", reason: "Done.", output: null } as const;
    this.feed({ type: "run.ended", runId, outcome: { ...outcome, ...changes } });
  }

  /** Moves to an instant and looks at every schedule. */
  at(nowMs: number): void {
    this.nowMs = nowMs;
    for (const triggerKey of Object.keys(this.state.schedules))
      this.feed({ type: "schedule.due", triggerKey });
  }

  /** The state from the stored events alone. */
  folded(): TriggerState {
    return foldTriggers(JSON.parse(JSON.stringify(this.events)), this.context);
  }
}
