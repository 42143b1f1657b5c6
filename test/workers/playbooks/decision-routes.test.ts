/** Bulk decisions and undo over HTTP. */
import { describe, expect, it } from "vitest";
import { decideAll } from "../../../src/playbooks/bulk-decisions";
import { changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { AGENT, call, EDITOR, principal, REVIEWER, rowOf, SELF_HOST_ORG, scopeOf } from "./client";
import { agentRule, DisturbedDatabase, newOrg, put, rowsOf } from "./rules";

const approved = { playbookStatus: "approved", decidedBy: "olga", decidedAt: 1 } as const;
const bulk = "/api/agent_playbooks/decisions";
const decision = (id: number, version = 1, playbook_status = "approved") => ({
  agent_playbook_id: id,
  version,
  playbook_status,
});

const asked = (agentPlaybookId: number, version = 1) =>
  ({ agentPlaybookId, version, playbookStatus: "approved", keepReplaced: false }) as const;

describe("decisions in bulk", () => {
  it("are each made alone, and the answer says of each what became of it", async () => {
    await put([
      agentRule(SELF_HOST_ORG, 8101),
      agentRule(SELF_HOST_ORG, 8102, { ...approved, decidedBy: "rita" }),
      agentRule(SELF_HOST_ORG, 8103),
      agentRule(SELF_HOST_ORG, 8104, { status: "superseded" }),
    ]);
    const body = {
      decisions: [decision(8101), decision(8102), decision(8103, 7), decision(8104), decision(8199)],
    };
    const { status, answer } = await call("POST", bulk, body, { as: REVIEWER });
    expect(status).toBe(200);
    expect(answer.decisions).toEqual([
      { agent_playbook_id: 8101, outcome: "done", message: "It is approved from now on.", version: 2 },
      { agent_playbook_id: 8102, outcome: "unchanged", message: "It is approved already.", version: 1 },
      {
        agent_playbook_id: 8103,
        outcome: "overtaken",
        message: expect.stringContaining("now pending, at version 1"),
        version: 1,
      },
      {
        agent_playbook_id: 8104,
        outcome: "refused",
        message: expect.stringContaining("was replaced"),
        version: 1,
      },
      {
        agent_playbook_id: 8199,
        outcome: "not_found",
        message: "There is no such agent playbook.",
        version: null,
      },
    ]);
    expect(await rowOf("agent_playbooks", "agent_playbook_id = 8103")).toMatchObject({
      playbook_status: "pending",
    });
    // The same call again makes nothing twice.
    const again = await call("POST", bulk, body, { as: REVIEWER });
    expect(again.answer.decisions).toMatchObject([
      { outcome: "unchanged", version: 2 },
      { outcome: "unchanged" },
      { outcome: "overtaken" },
      { outcome: "refused" },
      { outcome: "not_found" },
    ]);
  });

  it("of an editor are refused one by one where they touch approval, and made elsewhere", async () => {
    await put([agentRule(SELF_HOST_ORG, 8111), agentRule(SELF_HOST_ORG, 8112)]);
    const body = { decisions: [decision(8111), decision(8112, 1, "rejected")] };
    const { answer } = await call("POST", bulk, body, { as: EDITOR });
    expect(answer.decisions).toMatchObject([
      { outcome: "refused", message: expect.stringContaining('scope "review"'), version: 1 },
      { outcome: "done", version: 2 },
    ]);
    expect((await call("POST", bulk, body, { as: AGENT })).status).toBe(403);
  });

  it.each([
    ["no decision", { decisions: [] }, "/decisions"],
    ["101 decisions", { decisions: Array.from({ length: 101 }, (_, at) => decision(at + 1)) }, "/decisions"],
    [
      "a rule twice",
      { decisions: [decision(1), decision(2), decision(1, 2)] },
      "/decisions/2/agent_playbook_id",
    ],
    [
      "no version",
      { decisions: [{ agent_playbook_id: 1, playbook_status: "approved" }] },
      "/decisions/0/version",
    ],
    ["another status", { decisions: [decision(1, 1, "published")] }, "/decisions/0/playbook_status"],
    [
      "an id that is no number",
      { decisions: [{ ...decision(1), agent_playbook_id: "1" }] },
      "/decisions/0/agent_playbook_id",
    ],
  ])("with %s are refused by pointer", async (_, body, pointer) => {
    const { status, answer } = await call("POST", bulk, body);
    expect(status).toBe(422);
    expect(answer.errors).toMatchObject([{ pointer }]);
  });

  it("keep or supersede what a rule replaces, as each says", async () => {
    await put([
      agentRule(SELF_HOST_ORG, 8121, approved),
      agentRule(SELF_HOST_ORG, 8122, approved),
      agentRule(SELF_HOST_ORG, 8123, { replaces: 8121 }),
      agentRule(SELF_HOST_ORG, 8124, { replaces: 8122 }),
    ]);
    const { answer } = await call("POST", bulk, {
      decisions: [decision(8123), { ...decision(8124), keep_replaced: true }],
    });
    expect(answer.decisions).toMatchObject([{ outcome: "done" }, { outcome: "done" }]);
    expect(await rowOf("agent_playbooks", "agent_playbook_id = 8121")).toMatchObject({
      status: "superseded",
    });
    expect(await rowOf("agent_playbooks", "agent_playbook_id = 8122")).toMatchObject({ status: null });
  });

  it("of two reviewers never overwrite each other", async () => {
    const { orgId, anna, boris } = newOrg();
    await put([agentRule(orgId, 1), agentRule(orgId, 2), agentRule(orgId, 3)]);
    const db = new DisturbedDatabase(
      2,
      { before: () => changeAgentPlaybook(scopeOf(anna), 2, { playbookStatus: "rejected" }) },
      "UPDATE agent_playbooks",
    );
    const results = await decideAll(scopeOf(boris, { db }), [asked(1), asked(2), asked(3)]);
    expect(results).toMatchObject([
      { outcome: "done" },
      { outcome: "overtaken", message: expect.stringContaining("decided by anna"), version: 2 },
      { outcome: "done" },
    ]);
    expect(await rowsOf("decisions", orgId, "agent_playbook_id")).toMatchObject([
      { principal_id: "boris", kind: "approve" },
      { principal_id: "anna", kind: "reject" },
      { principal_id: "boris", kind: "approve" },
    ]);
  });

  it("that broke off are completed by the same call, whatever call failed, before or after its effect", async () => {
    for (let nth = 1; nth <= 6; nth += 1) {
      for (const disturb of [{ failBefore: true }, { failAfter: true }] as const) {
        const { orgId, anna } = newOrg();
        await put([agentRule(orgId, 1), agentRule(orgId, 2), agentRule(orgId, 3)]);
        const all = [asked(1), asked(2), asked(3)];
        await decideAll(scopeOf(anna, { db: new DisturbedDatabase(nth, disturb) }), all).catch(() => {});
        const results = await decideAll(scopeOf(anna), all);
        expect(results.filter(({ outcome }) => outcome !== "done" && outcome !== "unchanged")).toEqual([]);
        expect(results.map(({ version }) => version)).toEqual([2, 2, 2]);
        expect(await rowsOf("decisions", orgId, "agent_playbook_id")).toHaveLength(3);
        expect(await rowsOf("audit", orgId, "at")).toHaveLength(3);
      }
    }
  });
});

describe("keep_replaced", () => {
  it.each([
    ["PUT", "/api/update_agent_playbook_status", 8131],
    ["PUT", "/api/update_agent_playbook", 8133],
  ])("is honoured by %s %s", async (method, path, id) => {
    await put([agentRule(SELF_HOST_ORG, id, approved), agentRule(SELF_HOST_ORG, id + 1, { replaces: id })]);
    const body = { agent_playbook_id: id + 1, playbook_status: "approved", keep_replaced: true };
    expect((await call(method, path, body)).status).toBe(200);
    expect(await rowOf("agent_playbooks", "agent_playbook_id = ?", id)).toMatchObject({ status: null });
  });

  it("absent lets an approval supersede", async () => {
    await put([agentRule(SELF_HOST_ORG, 8135, approved), agentRule(SELF_HOST_ORG, 8136, { replaces: 8135 })]);
    await call("PUT", "/api/update_agent_playbook_status", {
      agent_playbook_id: 8136,
      playbook_status: "approved",
      keep_replaced: null,
    });
    expect(await rowOf("agent_playbooks", "agent_playbook_id = 8135")).toMatchObject({ superseded_by: 8136 });
  });
});

describe("undo over HTTP", () => {
  const undo = (id: number | string) => `/api/agent_playbooks/${id}/undo`;
  const approve = (id: number) =>
    call("PUT", "/api/update_agent_playbook_status", { agent_playbook_id: id, playbook_status: "approved" });

  it("takes the last decision back and answers with the rule's new tag", async () => {
    await put([agentRule(SELF_HOST_ORG, 8201, approved), agentRule(SELF_HOST_ORG, 8202, { replaces: 8201 })]);
    const { etag } = await approve(8202);
    const {
      status,
      answer,
      etag: tag,
    } = await call(
      "POST",
      undo(8202),
      {},
      {
        as: REVIEWER,
        ifMatch: etag ?? "",
      },
    );
    expect([status, tag]).toEqual([200, '"3"']);
    expect(answer).toMatchObject({
      agent_playbook_id: 8202,
      playbook_status: "pending",
      version: 3,
      undone: { kind: "approve", decided_by: "owner-1" },
      restored_agent_playbook_id: 8201,
    });
  });

  it("takes the version from the body too", async () => {
    await put([agentRule(SELF_HOST_ORG, 8203)]);
    await approve(8203);
    expect(await call("POST", undo(8203), { version: 2 })).toMatchObject({ status: 200, etag: '"3"' });
  });

  it.each<[string, object, string | undefined]>([
    ["no version", {}, undefined],
    ["any version", {}, "*"],
    ["a list of versions", {}, '"1", "2"'],
    ["a weak tag", {}, 'W/"2"'],
    ["two versions that differ", { version: 3 }, '"2"'],
    ["a version that is no number", { version: "two" }, undefined],
  ])("is refused by pointer with %s", async (_, body, ifMatch) => {
    const { status, answer } = await call("POST", undo(8203), body, ifMatch === undefined ? {} : { ifMatch });
    expect(status).toBe(422);
    expect(answer.errors).toMatchObject([{ pointer: "/version" }]);
  });

  it("is refused to whoever may not review, for stale versions, and where something was built", async () => {
    await put([agentRule(SELF_HOST_ORG, 8204), agentRule(SELF_HOST_ORG, 8205, { agentVersion: "v-built" })]);
    await approve(8204);
    await approve(8205);
    expect((await call("POST", undo(8204), { version: 2 }, { as: EDITOR })).status).toBe(403);
    expect((await call("POST", undo(8204), { version: 2 }, { as: AGENT })).status).toBe(403);
    const stale = await call("POST", undo(8204), { version: 1 });
    expect(stale).toMatchObject({ status: 412, etag: '"2"' });
    expect(await call("POST", undo(89_999), { version: 1 })).toMatchObject({ status: 404 });
    expect((await call("POST", undo("8e3"), { version: 1 })).status).toBe(422);
    await put([agentRule(SELF_HOST_ORG, 8206, { replaces: 8205, createdAt: 1_800_000_000 })]);
    const built = await call("POST", undo(8205), { version: 2 });
    expect(built.status).toBe(409);
    expect(built.answer.detail).toContain("rule #8206 was made to replace it");
  });
});

it("a decision's principal is its own even where another org has a rule of the same number", async () => {
  const [first, second] = [newOrg(), newOrg()];
  await put([agentRule(first.orgId, 1), agentRule(second.orgId, 1)]);
  await decideAll(scopeOf(principal("zoe", "reviewer", first.orgId)), [asked(1)]);
  expect(await rowsOf("decisions", second.orgId, "version")).toEqual([]);
  expect(await rowsOf("agent_playbooks", second.orgId, "row")).toMatchObject([
    { playbook_status: "pending" },
  ]);
});
