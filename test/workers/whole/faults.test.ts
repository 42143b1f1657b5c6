/**
 * Every call of a port in a clean publish → approve → context run fails twice, once before and once after
 * its effect, and the run ends where it would have ended: nothing lost, nothing doubled.
 */
import { describe, expect, it } from "vitest";
import { countedPorts, type Fault } from "../../support/ports";
import { newTenant, runLoop, stateOf } from "./loop";

const START_MS = 1_800_000_000_000;

async function run(fault: Fault | null) {
  const clock = { nowMs: START_MS };
  const ports = countedPorts(fault, { clock: { nowMs: () => clock.nowMs } });
  const tenant = await newTenant("faults");
  const result = await runLoop(ports.services, clock, tenant);
  return { ...ports, result, state: await stateOf(tenant.orgId) };
}

const clean = await run(null);
const faults = clean.calls.flatMap((name, position) =>
  (["before", "after"] as const).map((when) => ({ name, call: position + 1, when })),
);

describe("a run in which nothing fails", () => {
  it("ends with one approved rule, served", ({ task }) => {
    expect(clean.result.approved).toHaveLength(1);
    expect(clean.result.context).toContain("pull request");
    const kinds = Object.entries(Object.groupBy(clean.calls, (name) => name));
    const counts = kinds.map(([name, calls]) => `${name} ${calls?.length}`).join(", ");
    task.meta.measured = `port calls of a clean run: ${clean.calls.length} (${counts}); faults injected: ${faults.length}`;
    expect(faults).toHaveLength(2 * clean.calls.length);
  });
});

describe("a run in which one call fails", () => {
  it.each(faults)(
    "loses and doubles nothing: call $call ($name) $when its effect",
    async ({ call, when }) => {
      const faulty = await run({ call, when });
      expect(faulty.hit()).toBe(true);
      expect(faulty.state).toEqual(clean.state);
      expect(faulty.result.context).toContain("pull request");
    },
  );
});
