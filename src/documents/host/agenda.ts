/** What the host remembers to do: messages between runs, quotes and timers. All of it is lost in a crash. */
import type { DueOrder } from "../run/model";
import { type Due, RANK } from "./due";

/** Whose item it is. */
interface Owner {
  runId: string;
  /** Order of creation. */
  index: number;
}

export class Agenda {
  private readonly timers = new Map<string, Due>();
  private readonly others = new Set<Due>();
  private seq = 0;

  *items(): Generator<Due> {
    yield* this.others;
    yield* this.timers.values();
  }

  arm(owner: Owner, key: string, order: DueOrder, dueAtMs: number, deliver: () => void): void {
    const id = timerId(owner, key);
    const due = this.make(RANK.timer, owner.index, order, dueAtMs);
    this.timers.set(id, {
      ...due,
      immediate: false,
      deliver: () => {
        this.timers.delete(id);
        deliver();
      },
    });
  }

  disarm(owner: Owner, key: string): void {
    this.timers.delete(timerId(owner, key));
  }

  /** The answer to a quote comes at once. */
  quote(owner: Owner, order: DueOrder, nowMs: number, deliver: () => void): void {
    this.addOnce(this.make(RANK.answer, owner.index, order, nowMs), deliver);
  }

  /** Messages are delivered in the order of sending, whatever run they come from, before anything else happens. */
  post(nowMs: number, deliver: () => void): void {
    this.addOnce(this.make(RANK.message, 0, [0, 0], nowMs), deliver);
  }

  private make(
    rank: Due["rank"],
    runIndex: number,
    order: DueOrder,
    dueAtMs: number,
  ): Omit<Due, "deliver" | "immediate"> {
    this.seq += 1;
    return { dueAtMs, rank, runIndex, order, seq: this.seq };
  }

  private addOnce(due: Omit<Due, "deliver" | "immediate">, deliver: () => void): void {
    const item: Due = {
      ...due,
      immediate: true,
      deliver: () => {
        this.others.delete(item);
        deliver();
      },
    };
    this.others.add(item);
  }
}

const timerId = ({ runId }: Owner, key: string): string => JSON.stringify([runId, key]);
