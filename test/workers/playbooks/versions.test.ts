/** Upgrades and downgrades of user playbooks: what moves where, with exact counts, and what follows. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { writeVectors } from "../../../src/playbooks/store";
import { changeVersions } from "../../../src/playbooks/version-change";
import { AGENT, call, count, EDITOR } from "./client";
import { db, NOW_MS, newOrg, rowsOf } from "./rules";
import { EVERYTHING, plant, scopeWith, statusesOf, THREE_TWO_TWO } from "./versions-support";

describe("an upgrade", () => {
  it("trap 34: deletes what was archived, archives what is CURRENT, promotes what is pending, and counts each", async () => {
    const { orgId } = newOrg();
    await plant(orgId, THREE_TWO_TWO);
    expect(await changeVersions(scopeWith(orgId), "upgrade", EVERYTHING)).toMatchObject({
      success: true,
      deleted: 2,
      archived: 3,
      promoted: 2,
    });
    expect(await statusesOf(orgId)).toEqual({
      1: "archived",
      2: "archived",
      3: "archived",
      4: "current",
      5: "current",
    });
  });

  it("trap 34: without pending rules fails and archives nothing", async () => {
    const { orgId } = newOrg();
    await plant(orgId, [null, "archived"]);
    expect(await changeVersions(scopeWith(orgId), "upgrade", EVERYTHING)).toEqual({
      success: false,
      message: "No pending user playbooks found to upgrade",
      deleted: 0,
      archived: 0,
      promoted: 0,
    });
    expect(await statusesOf(orgId)).toEqual({ 1: "current", 2: "archived" });
    expect(await rowsOf("version_changes", orgId, "org_id")).toEqual([]);
    expect(await count("outbox", "org_id = ?", orgId)).toBe(0);
  });

  it("without archiving only promotes", async () => {
    const { orgId } = newOrg();
    await plant(orgId, THREE_TWO_TWO);
    const answer = await changeVersions(scopeWith(orgId), "upgrade", EVERYTHING, false);
    expect(answer).toMatchObject({ success: true, deleted: 0, archived: 0, promoted: 2 });
    expect(Object.values(await statusesOf(orgId)).filter((status) => status === "current")).toHaveLength(5);
    expect(await count("user_playbooks", "org_id = ? AND status = 'archived'", orgId)).toBe(2);
  });

  it("leaves other versions, other names and other orgs alone", async () => {
    const { orgId } = newOrg();
    const other = newOrg().orgId;
    await plant(orgId, THREE_TWO_TWO, { playbookName: "tone" });
    await plant(orgId, THREE_TWO_TWO, { playbookName: "tone", agentVersion: "v2" }, 11);
    await plant(orgId, THREE_TWO_TWO, { playbookName: "facts" }, 21);
    await plant(other, THREE_TWO_TWO, { playbookName: "tone" });
    const before = [await statusesOf(orgId), await statusesOf(other)];
    const filter = { agentVersion: "v1", playbookName: "tone" };
    expect(await changeVersions(scopeWith(orgId), "upgrade", filter)).toMatchObject({
      deleted: 2,
      archived: 3,
      promoted: 2,
    });
    const after = await statusesOf(orgId);
    for (let id = 11; id <= 27; id += 1) expect(after[id]).toBe(before[0]?.[id]);
    expect(await statusesOf(other)).toEqual(before[1]);
  });

  it("takes nothing that rests on something revoked anywhere, and needs something else to begin", async () => {
    const { orgId } = newOrg();
    await plant(orgId, ["pending", "archived", null], { flags: ["tainted"] });
    expect(await changeVersions(scopeWith(orgId), "upgrade", EVERYTHING)).toMatchObject({ success: false });
    expect(await changeVersions(scopeWith(orgId), "downgrade", EVERYTHING)).toMatchObject({ success: false });
    await plant(orgId, ["pending", "archived"], {}, 4);
    expect(await changeVersions(scopeWith(orgId), "upgrade", EVERYTHING)).toMatchObject({
      deleted: 1,
      archived: 0,
      promoted: 1,
    });
    expect(await statusesOf(orgId)).toEqual({ 1: "pending", 2: "archived", 3: "current", 4: "current" });
  });

  it("reaches index, aggregation, lineage, tags and audit", async () => {
    const { orgId } = newOrg();
    await plant(orgId, ["archived", null, "pending", "archive_in_progress"]);
    await db.batch(
      writeVectors([
        {
          ...{ orgId, kind: "user_playbook", entityId: 1, nowMs: NOW_MS },
          vector: { model: "words-a", dimension: 2, bytes: new Uint8Array([1, 2]), scale: 1 },
        },
      ]),
    );
    await changeVersions(scopeWith(orgId), "upgrade", EVERYTHING);
    const jobs = await db.all(
      z.object({ topic: z.string(), key: z.string() }),
      sql`SELECT topic, key FROM outbox WHERE org_id = ${orgId} ORDER BY topic, key`,
    );
    expect(jobs.filter(({ topic }) => topic === "vector").map(({ key }) => key)).toEqual([
      '["user_playbook",1]',
      '["user_playbook",2]',
      '["user_playbook",3]',
    ]);
    expect(new Set(jobs.filter(({ topic }) => topic === "aggregation").map(({ key }) => key))).toEqual(
      new Set(['["v1"]']),
    );
    expect(await rowsOf("aggregation_states", orgId, "agent_version")).toMatchObject([
      { agent_version: "v1", pending: 1 },
    ]);
    expect(await count("vectors", "org_id = ?", orgId)).toBe(0);
    const lineage = await db.all(
      z.object({ id: z.string(), op: z.string(), was: z.string().nullable(), now: z.string().nullable() }),
      sql`SELECT entity_id AS id, op, from_status AS was, to_status AS now FROM lineage WHERE org_id = ${orgId}
          ORDER BY row`,
    );
    expect(lineage).toEqual([
      { id: "1", op: "hard_delete", was: null, now: null },
      { id: "2", op: "status_change", was: null, now: "archived" },
      { id: "3", op: "status_change", was: "pending", now: null },
    ]);
    expect(await rowsOf("audit", orgId, "row")).toMatchObject([
      { action: "upgrade.user_playbooks", principal_id: "anna" },
    ]);
    // A rule on its way between two states is nobody's business here.
    expect(await statusesOf(orgId)).toMatchObject({ 4: "archive_in_progress" });
  });
});

describe("a downgrade", () => {
  it("trap 34: swaps CURRENT and archived by way of a third state, and a second one is its inverse", async () => {
    const { orgId } = newOrg();
    await plant(orgId, [null, null, null, "archived", "archived", "pending"]);
    const before = await statusesOf(orgId);
    expect(await changeVersions(scopeWith(orgId), "downgrade", EVERYTHING)).toMatchObject({
      success: true,
      archived: 3,
      promoted: 2,
      message: "Downgraded: 3 demoted, 2 restored",
    });
    expect(await statusesOf(orgId)).toEqual({
      1: "archived",
      2: "archived",
      3: "archived",
      4: "current",
      5: "current",
      6: "pending",
    });
    expect(await changeVersions(scopeWith(orgId, db, "call-2"), "downgrade", EVERYTHING)).toMatchObject({
      archived: 2,
      promoted: 3,
    });
    expect(await statusesOf(orgId)).toEqual(before);
  });

  it("without archived rules changes nothing", async () => {
    const { orgId } = newOrg();
    await plant(orgId, [null, "pending"]);
    expect(await changeVersions(scopeWith(orgId), "downgrade", EVERYTHING)).toMatchObject({
      success: false,
      message: "No archived user playbooks found to downgrade",
    });
    expect(await statusesOf(orgId)).toEqual({ 1: "current", 2: "pending" });
  });
});

describe("trap 33: CURRENT, which is stored as null,", () => {
  it("is found by a filter that names null beside another state, and an empty filter finds nothing", async () => {
    const agentVersion = "trap-33";
    await call("POST", "/api/add_user_playbook", {
      user_playbooks: ["pending", "archived", null].map((status) => ({
        content: `Rule ${status}`,
        agent_version: agentVersion,
        request_id: "r",
        status,
      })),
    });
    const found = async (status_filter?: (string | null)[]) => {
      const body = { agent_version: agentVersion, ...(status_filter !== undefined && { status_filter }) };
      const { answer } = await call("POST", "/api/get_user_playbooks", body);
      return (answer.user_playbooks ?? []).map(({ content }) => content).sort();
    };
    expect(await found([null])).toEqual(["Rule null"]);
    expect(await found([null, "pending"])).toEqual(["Rule null", "Rule pending"]);
    expect(await found([])).toEqual([]);
    expect(await found()).toHaveLength(3);
    const approvals = async (playbook_status_filter?: string[]) => {
      const body = { agent_version: agentVersion, ...(playbook_status_filter && { playbook_status_filter }) };
      return (await call("POST", "/api/get_agent_playbooks", body)).answer.agent_playbooks;
    };
    await call("POST", "/api/add_agent_playbook", {
      agent_playbooks: [
        { content: "x", agent_version: agentVersion, playbook_status: "pending", playbook_metadata: "" },
      ],
    });
    expect(await approvals([])).toEqual([]);
    expect(await approvals()).toHaveLength(1);
  });
});

describe("over HTTP", () => {
  it("the answers have the names that Reflexio's client reads, and a key that may not write changes nothing", async () => {
    const agentVersion = "versions-http";
    await call("POST", "/api/add_user_playbook", {
      user_playbooks: ["pending", null].map((status) => ({
        content: `A rule that is ${status ?? "current"}`,
        agent_version: agentVersion,
        request_id: "r",
        status,
      })),
    });
    const body = { agent_version: agentVersion, playbook_name: null };
    const upgraded = await call("POST", "/api/upgrade_all_user_playbooks", body, { as: EDITOR });
    expect(upgraded).toMatchObject({
      status: 200,
      answer: {
        success: true,
        user_playbooks_deleted: 0,
        user_playbooks_archived: 1,
        user_playbooks_promoted: 1,
        message: "Upgraded: 1 promoted, 1 archived, 0 old ones deleted",
      },
    });
    const downgraded = await call("POST", "/api/downgrade_all_user_playbooks", body, { as: EDITOR });
    expect(downgraded.answer).toMatchObject({
      success: true,
      user_playbooks_demoted: 1,
      user_playbooks_restored: 1,
    });
    const wrong = await call("POST", "/api/upgrade_all_user_playbooks", { archive_current: "no" });
    expect(wrong.status).toBe(422);
    const before = await count("user_playbooks", "agent_version = ? AND status IS NULL", agentVersion);
    for (const kind of ["upgrade", "downgrade"]) {
      const refused = await call("POST", `/api/${kind}_all_user_playbooks`, body, { as: AGENT });
      expect(refused.status).toBe(403);
    }
    expect(await count("user_playbooks", "agent_version = ? AND status IS NULL", agentVersion)).toBe(before);
  });
});
