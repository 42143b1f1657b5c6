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

describe("a run in which one call fails", () => {
  it("loses and doubles nothing, whichever call it is and whether its effect took place", async () => {
    const clean = await run(null);
    expect(clean.result.approved).toHaveLength(1);
    expect(clean.result.context).toContain("pull request");
    let failed = 0;
    for (let call = 1; call <= clean.calls.length; call += 1) {
      for (const when of ["before", "after"] as const) {
        const faulty = await run({ call, when });
        const name = `call ${call} (${faulty.calls[call - 1]}) failing ${when} its effect`;
        expect(faulty.hit(), name).toBe(true);
        expect(faulty.state, name).toEqual(clean.state);
        expect(faulty.result.context, name).toContain("pull request");
        failed += 1;
      }
    }
    const kinds = Object.entries(Object.groupBy(clean.calls, (name) => name)).map(
      ([name, calls]) => `${name} ${calls?.length}`,
    );
    console.warn(
      `port calls of a clean run: ${clean.calls.length} (${kinds.join(", ")}); faults injected: ${failed}`,
    );
    expect(failed).toBe(2 * clean.calls.length);
  }, 600_000);
});
