/** The page of learning: streams, aggregation by version, operations, and the button that starts one. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { noCounts } from "../../../src/aggregation/model";
import { sql } from "../../../src/db/sql";
import { parseConfig } from "../../../src/orgs/config";
import { forgetConfig, useConfig } from "../../../src/orgs/config-store";
import { apiCall, newKey, newOrg, signedIn, TestBrowser, type TestOrg } from "./browser";
import { db, seedRules } from "./map-seed";

const PATH = "/desk/learning";

const isMoving = (html: string): boolean => /id="progress"[^>]*data-refresh="3"/.test(html);

async function plantOperation(
  org: TestOrg,
  id: string,
  more: { status: string; createdAt?: number; error?: string; counts?: object; version?: string },
): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO operations (org_id, operation_id, kind, agent_version, request_id, status, result, error, attempts,
       created_at, updated_at) VALUES (?, ?, 'aggregation', ?, 'r', ?, ?, ?, 1, ?, ?)`,
  )
    .bind(
      org.orgId,
      id,
      more.version ?? "v1",
      more.status,
      more.counts === undefined ? null : JSON.stringify({ ...noCounts(), ...more.counts }),
      more.error ?? null,
      more.createdAt ?? 1,
      more.createdAt ?? 1,
    )
    .run();
}

describe("without conversations", () => {
  it("says what to do, and stands still", async () => {
    const { html, status } = await (await signedIn(await newOrg())).open(PATH);
    expect(status).toBe(200);
    expect(html).toContain("Nothing was published in the last 24 hours");
    expect(html).toContain("No agent version has rules to merge yet");
    expect(html).toContain("Nobody has asked for an aggregation yet");
    expect(isMoving(html)).toBe(false);
  });
});

describe("the streams", () => {
  it("are counted on the page without naming anybody", async () => {
    const org = await newOrg();
    for (const [userId, force] of [
      ["zanzibar", false],
      ["ada", false],
    ] as const) {
      await apiCall(
        "POST",
        "/api/publish_interaction",
        {
          user_id: userId,
          session_id: "s",
          agent_version: "v",
          force_extraction: force,
          interaction_data_list: [{ role: "User", content: "hello" }],
        },
        org.bearer,
      );
    }
    const { html } = await (await signedIn(org)).open(PATH);
    expect(html).toContain("0 of 2 turns published in the last 24 hours have been learned from.");
    expect(html).toMatch(/role="progressbar"[^>]*aria-valuemax="2"[^>]*aria-valuenow="0"/);
    expect(html).not.toContain("zanzibar");
  });
});

describe("aggregation", () => {
  it("pages through versions by name, and shows hostile names as text", async () => {
    const org = await newOrg();
    const names = Array.from({ length: 21 }, (_, position) => `v${String(position).padStart(2, "0")}`);
    await db.batch(
      [...names, "</td><script>alert(1)</script>\u202e"].map(
        (name) =>
          sql`INSERT INTO aggregation_states (org_id, agent_version, pending, next_attempt_at_ms, state_version,
                intake_floor, last_error) VALUES (${org.orgId}, ${name}, 1, 0, 1, 0, '<b>odd</b>')`,
      ),
    );
    const browser = await signedIn(org);
    const first = await browser.open(PATH);
    expect(first.html).not.toMatch(/<script>|<b>odd/);
    expect(first.html).toContain("&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧");
    const next = /href="(\/desk\/learning\?versions_after=[^"]+)"/.exec(first.html)?.[1] ?? "";
    const second = await browser.open(next);
    expect(second.html).toContain(">v20<");
    expect(second.html).not.toContain(">v05<");
    expect(second.html).not.toContain("versions_after=");
  });

  it("says where it is switched off, and starts nothing there", async () => {
    const org = await newOrg();
    const browser = await signedIn(org);
    expect((await browser.open(PATH)).html).not.toContain("Aggregation is switched off");
    const off = parseConfig({
      user_playbook_extractor_config: { extraction_definition_prompt: "anything", aggregation_config: null },
    });
    await db.batch((await useConfig(org.orgId, off, 1)).statements);
    forgetConfig(org.orgId);
    await seedRules(org.orgId, [
      { id: 1, axis: 1 },
      { id: 2, axis: 1 },
    ]);
    expect((await browser.open(PATH)).html).toContain("Aggregation is switched off");
    const answer = await browser.submit(`${PATH}/aggregate`, { agent_version: "v1" });
    expect(answer.headers.get("location")).toBe(`${PATH}?done=not_configured`);
  });
});

describe("operations", () => {
  it("are bars with what was counted, and move only while one is active", async () => {
    const org = await newOrg();
    await plantOperation(org, "op_done", { status: "succeeded", counts: { user_playbooks_processed: 12 } });
    await plantOperation(org, "op_bad", { status: "failed", error: "cap_exceeded", createdAt: 2 });
    const browser = await signedIn(org);
    const { html } = await browser.open(PATH);
    expect(html).toContain("12 rules looked at");
    expect(html).toContain("Failed: this version has more rules than one rebuild may take.");
    expect(html.indexOf("op_bad")).toBeLessThan(html.indexOf("op_done"));
    expect(isMoving(html)).toBe(false);
    await plantOperation(org, "op_now", {
      status: "running",
      counts: { user_playbooks_processed: 3 },
      createdAt: 3,
    });
    const moving = await browser.open(PATH);
    expect(isMoving(moving.html)).toBe(true);
    expect(moving.html).toMatch(/aria-valuemax="4"[^>]*aria-valuenow="3"/);
  });

  it("are paged, newest first, without a gap or a repetition", async () => {
    const org = await newOrg();
    for (let position = 0; position < 45; position += 1) {
      // Many of one second, so that the id has to decide.
      await plantOperation(org, `op_${String(position).padStart(2, "0")}`, {
        status: "succeeded",
        createdAt: Math.floor(position / 10),
      });
    }
    const browser = await signedIn(org);
    const seen: string[] = [];
    for (let path = PATH; path !== ""; ) {
      const { html } = await browser.open(path);
      seen.push(...[...html.matchAll(/<li class="card" id="(op_\d\d)"/g)].map(([, id]) => id ?? ""));
      path = (/href="(\/desk\/learning\?before=[^"]+)"/.exec(html)?.[1] ?? "").replaceAll("&amp;", "&");
    }
    expect(seen).toEqual(
      Array.from({ length: 45 }, (_, position) => `op_${String(44 - position).padStart(2, "0")}`),
    );
  });

  it("of another org are not shown", async () => {
    const [org, other] = [await newOrg(), await newOrg()];
    await plantOperation(org, "op_quillonite", { status: "running", version: "quillonite" });
    await seedRules(org.orgId, [{ id: 1, axis: 1, content: "quillonite" }], "quillonite");
    expect((await (await signedIn(other)).open(PATH)).html).not.toContain("quillonite");
  });
});

describe("the button", () => {
  const versionOf = async (org: TestOrg) =>
    db.all(
      z.object({ id: z.string(), version: z.string(), status: z.string() }),
      sql`SELECT operation_id AS id, agent_version AS version, status FROM operations WHERE org_id = ${org.orgId}`,
    );

  it("starts an aggregation at once and leads to its bar", async () => {
    const org = await newOrg();
    await seedRules(org.orgId, [
      { id: 1, axis: 1, content: "Look the parcel up." },
      { id: 2, axis: 1, content: "Look the parcel up yourself." },
    ]);
    const browser = await signedIn(org);
    await browser.open(PATH);
    const answer = await browser.submit(`${PATH}/aggregate`, { agent_version: "v1" });
    const [operation, ...others] = await versionOf(org);
    expect(others).toEqual([]);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `${PATH}?done=started#${operation?.id}`,
    ]);
    const after = await browser.open(`${PATH}?done=started`);
    expect(after.html).toContain("The aggregation has started");
    expect(after.html).toContain(`id="${operation?.id}"`);
  });

  it("starts nothing where there is too little, and says so", async () => {
    const org = await newOrg();
    const browser = await signedIn(org);
    await browser.open(PATH);
    const answer = await browser.submit(`${PATH}/aggregate`, { agent_version: "unheard-of" });
    expect(answer.headers.get("location")).toBe(`${PATH}?done=too_few`);
    expect(await versionOf(org)).toEqual([]);
    expect((await browser.open(`${PATH}?done=too_few`)).html).toContain(
      "fewer user playbooks than an aggregation needs",
    );
    expect((await browser.open(`${PATH}?done=send-me-your-key`)).status).toBe(422);
  });

  it("is neither shown to nor obeyed for a key that may not write", async () => {
    const org = await newOrg();
    await seedRules(org.orgId, [
      { id: 1, axis: 1 },
      { id: 2, axis: 1 },
    ]);
    await db.run(sql`INSERT INTO aggregation_states (org_id, agent_version, pending, next_attempt_at_ms, state_version,
        intake_floor) VALUES (${org.orgId}, 'v1', 0, 0, 1, 0)`);
    const reader = await new TestBrowser().signIn(await newKey(org, "bot", ["agent"]));
    const { html } = await reader.open(PATH);
    expect(html).toContain(">v1<");
    expect(html).not.toContain("Aggregate now");
    expect(html).not.toContain("dead letter");
    expect((await reader.submit(`${PATH}/aggregate`, { agent_version: "v1" })).status).toBe(403);
    expect(await versionOf(org)).toEqual([]);
  });

  it("needs the token of its page", async () => {
    const org = await newOrg();
    await seedRules(org.orgId, [
      { id: 1, axis: 1 },
      { id: 2, axis: 1 },
    ]);
    const browser = await signedIn(org);
    const forged = await browser.submit(
      `${PATH}/aggregate`,
      { agent_version: "v1" },
      { csrf: "x".repeat(32) },
    );
    expect(forged.status).toBe(403);
    expect(await versionOf(org)).toEqual([]);
  });
});

describe("what was learned again", () => {
  it("is shown with its progress while it moves, and names no user", async () => {
    const org = await newOrg();
    await db.batch([
      sql`INSERT INTO generation_operations (org_id, service_name, operation_id, mode, status, agent_version,
            config_hash, request_id, principal_id, started_at, progressed_at_ms, total_users, processed_users,
            failed_users, cancelled_users, current_user_id, turns, rules)
          VALUES (${org.orgId}, 'playbook_generation', 'gen_1', 'rerun', 'in_progress', 'v7', 'h', 'r', 'p', 1, 1,
            4, 1, 1, 0, 'zanzibar', 30, 2)`,
      sql`INSERT INTO review_runs (org_id, run_id, state, start_sec, end_sec, config_hash, principal_id, selected,
            position, attempts, accepted, edited, rejected, skipped, error, started_at, finished_at)
          VALUES (${org.orgId}, 'rev_1', 'failed', 1, 2, 'h', 'p', 9, 5, 1, 2, 1, 1, 1, 'daily_cap', 1, 2)`,
    ]);
    const { html } = await (await signedIn(org)).open(PATH);
    expect(html).toContain("Rerun of v7");
    expect(html).toContain("1 of 4 users done, 1 failed, 30 turns read, 2 rules made.");
    expect(html).toContain("5 of 9 rules decided: 2 kept, 1 edited, 1 rejected, 1 without evidence.");
    expect(html).toContain("The org has spent its model calls of the day.");
    expect(html).not.toContain("zanzibar");
    expect(isMoving(html)).toBe(true);
  });
});
