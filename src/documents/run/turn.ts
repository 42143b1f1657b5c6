/** One event's turn: the state that it may write, the instant, and what comes of it. */
import type { JsonObject } from "../model";
import type { Task } from "./agenda";
import type { Effect, Reply, TraceRecord } from "./model";
import type { Program, StepProgram } from "./program";
import { type Cell, entry, type RunState } from "./state";

export interface RecordDetails {
  subject?: string;
  stepKey?: string;
  actor?: string;
  data?: JsonObject;
}

export class Turn {
  readonly effects: Effect[] = [];
  readonly records: TraceRecord[] = [];
  reply: Reply | undefined;
  readonly program: Program;
  /** Written to in place. */
  readonly state: RunState;
  readonly nowMs: number;

  constructor(program: Program, state: RunState, nowMs: number) {
    this.program = program;
    this.state = state;
    this.nowMs = nowMs;
  }

  get ended(): boolean {
    return this.state.outcome !== null;
  }

  record(type: string, { subject, stepKey, actor, data }: RecordDetails = {}): void {
    this.records.push({
      type,
      ...(subject === undefined ? {} : { subject }),
      ...(stepKey === undefined ? {} : { stepKey }),
      atMs: this.nowMs,
      ...(actor === undefined ? {} : { actor }),
      ...(data === undefined ? {} : { data }),
    });
  }

  /** A record whose subject is the step itself. */
  recordStep(type: string, cell: Cell, data?: JsonObject): void {
    this.record(type, { subject: cell.key, stepKey: cell.key, ...(data ? { data } : {}) });
  }

  emit(effect: Effect): void {
    this.effects.push(effect);
  }

  plan(task: Task): void {
    this.state.agenda.push(task);
  }

  /** Counts what is opened, armed or asked for, so that it can be done again in the same order. */
  nextSeq(): number {
    this.state.seq += 1;
    return this.state.seq;
  }

  cell(key: string): Cell | undefined {
    return entry(this.state.cells, key);
  }

  /** The step that a cell runs. */
  stepOf(cell: Cell): StepProgram {
    const step = this.program.steps.get(cell.stepId);
    if (!step) throw new Error(`the document has no step "${cell.stepId}"`);
    return step;
  }

  /** What the run was started with. */
  get start(): NonNullable<RunState["start"]> {
    if (!this.state.start) throw new Error("the run was not created");
    return this.state.start;
  }
}
