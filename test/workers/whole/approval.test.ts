/** No path but a principal with the scope `review` makes a rule approved, whatever is sent to whichever route. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createApp } from "../../../src/http/app";
import { scopes } from "../../../src/platform/principal";
import { routes } from "../../../src/routes";
import { testServices } from "../../support/services";
import { newTenant } from "./loop";

const RULE = { agent_version: "helper-1", content: "Be brief.", playbook_metadata: "" };

type Ports = ReturnType<typeof testServices>;

/** Calls the whole app over `services`. */
function caller(services: Ports) {
  const app = createApp<Env>(routes, () => ({ services: () => services, limits: {} }));
  return (method: string, path: string, body: string | URLSearchParams, headers: Record<string, string>) =>
    app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { origin: "http://localhost", ...headers },
        body,
      }),
      env,
      { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
    );
}

async function setUp() {
  const services = testServices();
  const { orgId, key } = await newTenant("approval");
  const call = caller(services);
  const asOwner = async (method: string, path: string, body: unknown) => {
    const response = await call(method, path, JSON.stringify(body), { authorization: `Bearer ${key}` });
    expect(response.status, await response.text()).toBe(200);
  };
  const rows = async () =>
    (
      await env.DB.prepare(
        "SELECT agent_playbook_id AS id, version, playbook_status AS status FROM agent_playbooks WHERE org_id = ? ORDER BY id",
      )
        .bind(orgId)
        .all<{ id: number; version: number; status: string }>()
    ).results;
  return { services, orgId, asOwner, rows };
}

/** Bodies in every form that an approval takes or might take. */
function wishes(id: number, version: number): unknown[] {
  const approval = { playbook_status: "approved", status: "approved", approval: "approved", approved: true };
  return [
    { agent_playbook_id: id, playbook_status: "approved" },
    { agent_playbook_id: id, version, playbook_status: "approved", keep_replaced: true },
    { decisions: [{ agent_playbook_id: id, version, playbook_status: "approved" }] },
    { agent_playbooks: [{ ...RULE, playbook_status: "approved" }] },
    { user_playbooks: [{ ...RULE, request_id: "r", user_id: "u", ...approval }] },
    { agent_playbook_id: id, user_playbook_id: id, id, version, decision: "keep", content: "x", ...approval },
    { version, kind: "agent_playbook", verdict: "helpful", id, ...approval },
    {},
  ];
}

it("a key with every scope but review changes no rule to approved through any route", async () => {
  const { services, orgId, asOwner, rows } = await setUp();
  await asOwner("POST", "/api/add_agent_playbook", {
    agent_playbooks: [
      { ...RULE, playbook_status: "pending" },
      { ...RULE, content: "Be kind.", playbook_status: "approved" },
    ],
  });
  const [, second] = await rows();
  // Taking this back would approve it again.
  await asOwner("PUT", "/api/update_agent_playbook_status", {
    agent_playbook_id: second?.id,
    playbook_status: "pending",
  });
  const planted = await rows();
  expect(planted.map(({ status }) => status)).toEqual(["pending", "pending"]);

  const asBot = caller({
    ...services,
    principalOfKey: async () => ({
      orgId,
      id: "bot",
      roles: ["editor"],
      scopes: scopes.filter((scope) => scope !== "review"),
    }),
  });
  const answers = new Map<number, number>();
  for (const { method, path } of routes) {
    // Deleting the rules would end the attempts; it approves nothing.
    if (method === "get" || method === "delete" || path === "/api/orgs") continue;
    for (const { id, version } of planted) {
      const real = path.replace(/\{kind\}/, "agent_playbook").replace(/\{\w+\}/g, String(id));
      for (const wish of wishes(id, version)) {
        const form = new URLSearchParams(
          Object.entries(Object(wish)).map(([name, value]): [string, string] => [name, String(value)]),
        );
        for (const body of [JSON.stringify(wish), form]) {
          const { status } = await asBot(method.toUpperCase(), real, body, {
            authorization: "Bearer pm_any_key_of_a_bot",
            "if-match": `"${version}"`,
            ...(typeof body === "string" && { "content-type": "application/json" }),
          });
          answers.set(status, (answers.get(status) ?? 0) + 1);
        }
      }
    }
  }
  // It was let in, understood and refused, over and over.
  expect(answers.get(200) ?? 0).toBeGreaterThan(10);
  expect(answers.get(403) ?? 0).toBeGreaterThan(30);
  expect((await rows()).filter(({ status }) => status === "approved")).toEqual([]);
  // The control: the very first wish is one that the owner's key may have.
  await asOwner("PUT", "/api/update_agent_playbook_status", wishes(planted[0]?.id ?? 0, 1)[0]);
  expect((await rows())[0]).toMatchObject({ status: "approved" });
}, 120_000);
