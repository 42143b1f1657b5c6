/** Changing a Config while calls fail and others change it as well. */
import { describe, expect, it } from "vitest";
import type { RequestScope } from "../../../src/http/route";
import { currentConfig, setConfig } from "../../../src/orgs/config-change";
import { configHistory } from "../../../src/orgs/config-history-store";
import { Failure } from "../../../src/platform/failure";
import { scopes } from "../../../src/platform/principal";
import { countedPorts, type Fault, InjectedFault } from "../../support/ports";

let orgs = 0;
const newOrgId = () => `config-change-${++orgs}`;

function scopeOf(orgId: string, fault: Fault | null = null, id = "ada"): RequestScope {
  const { services } = countedPorts(fault);
  return {
    services,
    principal: { orgId, id, roles: ["owner"], scopes },
    orgId,
    db: services.database(orgId),
    requestId: "r",
    headers: new Headers(),
    browser: null,
  };
}

const changesOf = (scope: RequestScope) => configHistory(scope.db, scope.orgId, 10);

describe("a change of the Config", () => {
  it("is one batch with its audit row, and a repeated one writes nothing", async () => {
    const scope = scopeOf(newOrgId());
    expect((await setConfig(scope, { window_size: 20 }, null)).isChanged).toBe(true);
    expect((await setConfig(scope, { window_size: 20 }, null)).isChanged).toBe(false);
    expect(await changesOf(scope)).toMatchObject([{ by: "ada" }]);
  });

  it("that failed after it took effect is a success", async () => {
    const orgId = newOrgId();
    const { hash } = await currentConfig(scopeOf(orgId));
    // The first call reads, the second is the batch.
    const failing = scopeOf(orgId, { call: 2, when: "after" });
    expect((await setConfig(failing, { window_size: 20 }, hash)).isChanged).toBe(true);
    expect(await changesOf(scopeOf(orgId))).toHaveLength(1);
  });

  it("that failed before it took effect changes nothing", async () => {
    const orgId = newOrgId();
    const { hash } = await currentConfig(scopeOf(orgId));
    const failing = scopeOf(orgId, { call: 2, when: "before" });
    await expect(setConfig(failing, { window_size: 20 }, hash)).rejects.toBeInstanceOf(InjectedFault);
    expect((await currentConfig(scopeOf(orgId))).hash).toBe(hash);
    expect(await changesOf(scopeOf(orgId))).toEqual([]);
  });

  it("over a version that is gone is refused, and names who changed it", async () => {
    const orgId = newOrgId();
    const { hash } = await currentConfig(scopeOf(orgId));
    await setConfig(scopeOf(orgId, null, "grace"), { window_size: 30 }, hash);
    const error = await setConfig(scopeOf(orgId), { window_size: 20 }, hash).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({ kind: "conflict", message: expect.stringContaining("grace") });
  });

  it("that names no version wins over whatever is there, also in a race", async () => {
    const orgId = newOrgId();
    await Promise.all([20, 21, 22].map((window_size) => setConfig(scopeOf(orgId), { window_size }, null)));
    const history = await changesOf(scopeOf(orgId));
    expect(history).toHaveLength(3);
    // Each change replaced the one before it: none was made over a version that was gone.
    expect(history.slice(0, 2).map(({ replaced }) => replaced)).toEqual(
      history.slice(1).map(({ hash }) => hash),
    );
  });

  it("that is too large for a row is refused before anything is written", async () => {
    const scope = scopeOf(newOrgId());
    const tool = { tool_name: "t", tool_description: "x".repeat(100_000) };
    const error = await setConfig(scope, { tool_can_use: Array(11).fill(tool) }, null).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ kind: "invalid" });
    expect(await changesOf(scope)).toEqual([]);
  });
});
