/** Queue messages may come one to five times and in any order; the end is the same. */
import { describe, expect, it } from "vitest";
import type { WorkMessage } from "../../../src/db/outbox";
import { testServices } from "../../support/services";
import { newTenant, runLoop, stateOf } from "./loop";

const START_MS = 1_800_000_000_000;

/** A small deterministic generator (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Each message one to five times, shuffled; some of them are held back and come much later. */
function unruly(seed: number): (messages: WorkMessage[]) => WorkMessage[] {
  const next = generator(seed);
  const late: WorkMessage[] = [];
  return (messages) => {
    const copies = messages.flatMap((message) =>
      Array.from({ length: 1 + Math.floor(next() * 5) }, () => message),
    );
    const now = [...copies, ...late.splice(0)];
    for (let last = now.length - 1; last > 0; last -= 1) {
      const other = Math.floor(next() * (last + 1));
      [now[last], now[other]] = [now[other], now[last]] as [WorkMessage, WorkMessage];
    }
    late.push(...messages.filter(() => next() < 0.3));
    return now;
  };
}

async function run(deliver?: (messages: WorkMessage[]) => WorkMessage[]) {
  const clock = { nowMs: START_MS };
  const tenant = await newTenant("delivery");
  const services = testServices({ clock: { nowMs: () => clock.nowMs } });
  const result = await runLoop(services, clock, tenant, deliver);
  return { result, state: await stateOf(tenant.orgId) };
}

describe("messages that come several times and in any order", () => {
  it("lead to the end of one orderly delivery, row for row", async () => {
    const orderly = await run();
    for (let seed = 1; seed <= 12; seed += 1) {
      expect((await run(unruly(seed))).state, `seed ${seed}`).toEqual(orderly.state);
    }
  }, 300_000);
});
