/** Time comes in through this port; nothing else reads a clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** Whole seconds since the epoch, as every public field has them. */
export const nowSec = (clock: Clock): number => Math.floor(clock.nowMs() / 1000);
