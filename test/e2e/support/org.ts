/** Orgs for tests of pages: made over the API, filled with the demo's scene. */
import { inject } from "vitest";
import * as z from "zod";
import { type Call, createApi } from "../../../scripts/demo/api";
import { aggregate, publishConversations, waitForLearning } from "../../../scripts/demo/scene";

const keyed = z.object({ key: z.string() });

export interface Org {
  orgId: string;
  /** Of its owner. */
  key: string;
  call: Call;
  /** A key for somebody else. */
  newKey(principalId: string, roles: string[]): Promise<string>;
  /** Another owner's key: each may look at so many pages a minute. */
  ownerKey(): Promise<string>;
}

let orgs = 0;

export async function newOrg(): Promise<Org> {
  orgs += 1;
  const asAdmin = createApi(inject("url"), inject("adminSecret"));
  const { key, org_id: orgId } = await asAdmin(
    z.object({ key: keyed, org_id: z.string() }),
    "POST",
    "/api/orgs",
    { name: `desk ${orgs}` },
  );
  const call = createApi(inject("url"), key.key);
  const newKey = async (principalId: string, roles: string[]): Promise<string> =>
    (await call(keyed, "POST", "/api/keys", { name: principalId, principal_id: principalId, roles })).key;
  let owners = 0;
  return {
    orgId,
    key: key.key,
    call,
    newKey,
    ownerKey() {
      owners += 1;
      return newKey(`owner-${owners}`, ["owner"]);
    },
  };
}

/** An org with the demo's conversations, learned from and aggregated. */
export async function demoOrg(): Promise<Org> {
  const org = await newOrg();
  await waitForLearning(org.call, await publishConversations(org.call), { patienceMs: 250_000 });
  await aggregate(org.call);
  return org;
}

/** Agent playbooks by approval status, newest first. */
export async function rulesOf(org: Org, status: string): Promise<{ id: number; content: string }[]> {
  const { agent_playbooks: rules } = await org.call(
    z.object({ agent_playbooks: z.array(z.object({ agent_playbook_id: z.int(), content: z.string() })) }),
    "POST",
    "/api/get_agent_playbooks",
    { playbook_status_filter: status },
  );
  return rules.map(({ agent_playbook_id: id, content }) => ({ id, content }));
}
