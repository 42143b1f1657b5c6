/** Keys and a database that fails after it did what was asked. */
import { describe, expect, it } from "vitest";
import type { RequestScope } from "../../../src/http/route";
import { createKey, createOrg, revokeKey } from "../../../src/orgs/key-management";
import { hashKey } from "../../../src/orgs/keys";
import { keyOfId } from "../../../src/orgs/keys-store";
import { findKey } from "../../../src/orgs/store";
import { scopes } from "../../../src/platform/principal";
import { countedPorts, type Fault, InjectedFault } from "../../support/ports";

let orgs = 0;

function scopeOf(fault: Fault | null, orgId = `key-faults-${++orgs}`): RequestScope {
  const { services } = countedPorts(fault);
  return {
    services,
    principal: { orgId, id: "ada", roles: ["owner"], scopes },
    orgId,
    db: services.database(orgId),
    requestId: "r",
    headers: new Headers(),
    browser: null,
  };
}
const BOT = { name: "bot", principal_id: "bot", roles: ["agent" as const] };

describe("a key whose batch was committed although the call failed", () => {
  it("is shown: nobody will see it again", async () => {
    const scope = scopeOf({ call: 1, when: "after" });
    const { key, key_id } = await createKey(scope, BOT);
    expect((await findKey(scope.db, await hashKey(key)))?.key_id).toBe(key_id);
  });

  it("is shown with its org, too", async () => {
    const scope = scopeOf({ call: 1, when: "after" });
    const { org_id, key } = await createOrg(scope, { name: "acme", principal_id: "owner" });
    expect((await findKey(scope.db, await hashKey(key.key)))?.org_id).toBe(org_id);
  });

  it("is none where the batch was not committed", async () => {
    const scope = scopeOf({ call: 1, when: "before" });
    await expect(createKey(scope, BOT)).rejects.toBeInstanceOf(InjectedFault);
  });
});

it("a revocation that failed after its effect can be repeated", async () => {
  const scope = scopeOf(null);
  const { key_id } = await createKey(scope, BOT);
  const failing = scopeOf({ call: 1, when: "after" }, scope.orgId);
  await expect(revokeKey(failing, key_id)).rejects.toBeInstanceOf(InjectedFault);
  await revokeKey(scope, key_id);
  expect((await keyOfId(scope.db, scope.orgId, key_id))?.revoked_at).not.toBeNull();
});
