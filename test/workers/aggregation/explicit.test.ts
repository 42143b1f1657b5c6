/** Explicit operations: one receipt for a request, one operation for a version, and codes for what went wrong. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { receiptOf, submitExplicit } from "../../../src/aggregation/explicit-operations";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { Database } from "../../../src/db/client";
import { sql } from "../../../src/db/sql";
import { parseConfig } from "../../../src/orgs/config";
import { forgetConfig, useConfig } from "../../../src/orgs/config-store";
import { finish, operationOf, pairs } from "./rebuild-support";
import { agentRules, makeWorld, seedRules, twoAlike, type World } from "./support";

const submit = async (world: World, requestId: string, agentVersion = "v1") =>
  submitExplicit(world.services, { orgId: world.orgId, agentVersion, requestId });

const receiptFor = async (world: World, requestId: string) => {
  const submitted = await submit(world, requestId);
  if (!("receipt" in submitted)) throw new Error("a conflict");
  return submitted.receipt;
};

describe("an operation", () => {
  test("trap 60: gives the same request the same receipt for ever, and makes nothing twice", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    const first = await receiptFor(world, "nightly");
    expect(first).toMatchObject({ status: "queued", attempts: 0, started_at: null, result: null });
    expect(await receiptFor(world, "nightly")).toEqual(first);
    await finish(world, first.operation_id);
    const last = await receiptFor(world, "nightly");
    expect(last).toMatchObject({
      ...{ operation_id: first.operation_id, status: "succeeded", error: null },
      result: { clusters_found: 1, user_playbooks_processed: 2, playbooks_generated: 1, skipped: null },
    });
    world.clock.advance(86_400_000);
    expect(await receiptFor(world, "nightly")).toEqual(last);
    expect(await agentRules(world)).toHaveLength(1);
  });

  test("of several submissions at once makes one", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    const receipts = await Promise.all([1, 2, 3].map(() => receiptFor(world, "nightly")));
    expect(new Set(receipts.map((receipt) => receipt.operation_id)).size).toBe(1);
    const rows = await world.db.all(
      z.object({ operation_id: z.string() }),
      sql`SELECT operation_id FROM operations WHERE org_id = ${world.orgId}`,
    );
    expect(rows).toHaveLength(1);
  });

  test("trap 60: another id while one of the version is not over is a conflict that names it", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    const first = await receiptFor(world, "one");
    expect(await submit(world, "two")).toEqual({
      conflict: { reason: "version_busy", operationId: first.operation_id },
    });
    expect(await submit(world, "other", "v2")).toHaveProperty("receipt");
    await finish(world, first.operation_id);
    expect(await submit(world, "two")).toHaveProperty("receipt");
  });

  test("trap 60: of different ids at once one is taken and the others conflict with it", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    const answers = await Promise.all(["a", "b", "c"].map((id) => submit(world, id)));
    const taken = answers.flatMap((answer) => ("receipt" in answer ? [answer.receipt.operation_id] : []));
    expect(taken).toHaveLength(1);
    for (const answer of answers) {
      if ("conflict" in answer) expect(answer.conflict.operationId).toBe(taken[0]);
    }
  });

  test("trap 60: the same id with another version is a conflict that names the first one's", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    const first = await receiptFor(world, "nightly");
    expect(await submit(world, "nightly", "v2")).toEqual({
      conflict: { reason: "other_version", operationId: first.operation_id },
    });
  });

  test("with too few rules succeeds and says that it skipped", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike.slice(0, 1));
    const { operation } = await finish(world, (await receiptFor(world, "nightly")).operation_id);
    expect(receiptOf(operation)).toMatchObject({
      status: "succeeded",
      result: { skipped: "too_few", playbooks_generated: 0 },
    });
  });

  test("whose settings rule aggregation out fails at once", async () => {
    const world = makeWorld();
    const { statements } = await useConfig(
      world.orgId,
      parseConfig({
        user_playbook_extractor_config: { extraction_definition_prompt: "R.", aggregation_config: null },
      }),
      1,
    );
    await world.db.batch(statements);
    forgetConfig(world.orgId);
    await seedRules(world, twoAlike);
    const { operation } = await finish(world, (await receiptFor(world, "nightly")).operation_id);
    expect(receiptOf(operation)).toMatchObject({
      ...{ status: "failed", error: "invalid_configuration_or_input", attempts: 1, result: null },
    });
  });

  test("is tried five times, 1, 2, 4 and 8 minutes apart, and its error is a code", async () => {
    const world = makeWorld({}, () => {
      throw new Error("ana@example.com said so");
    });
    await seedRules(world, twoAlike);
    const { operation_id: operationId } = await receiptFor(world, "nightly");
    const waits: number[] = [];
    for (let attempt = 1; attempt < 5; attempt += 1) {
      const { nextInMs } = await runAggregationTurn(world.services, world.orgId, "v1");
      waits.push((nextInMs ?? 0) / 1000);
      expect(receiptOf(await operationOf(world, operationId))).toMatchObject({
        ...{ status: "retrying", attempts: attempt, error: "execution_failed" },
        next_attempt_at: (world.clock.nowMs() + (nextInMs ?? 0)) / 1000,
      });
      world.clock.advance(nextInMs ?? 0);
    }
    expect(waits).toEqual([60, 120, 240, 480]);
    const { operation } = await finish(world, operationId);
    expect(receiptOf(operation)).toMatchObject({
      ...{ status: "failed", attempts: 5, error: "attempts_exhausted", next_attempt_at: null },
    });
    expect(JSON.stringify(operation)).not.toContain("example.com");
  });

  test("trap 60: erasing any rule of the version fails it, whether it has begun or not; other versions' do not", async () => {
    const world = makeWorld();
    await seedRules(world, [...pairs(1), ...pairs(1, 11).map((rule) => ({ ...rule, agentVersion: "v2" }))]);
    const { operation_id: operationId } = await receiptFor(world, "nightly");
    const erase = (id: number) =>
      world.db.run(
        sql`DELETE FROM user_playbooks WHERE org_id = ${world.orgId} AND user_playbook_id = ${id}`,
      );
    await erase(11);
    expect(await operationOf(world, operationId)).toMatchObject({ status: "queued" });
    await erase(1);
    expect(receiptOf(await operationOf(world, operationId))).toMatchObject({
      ...{ status: "failed", error: "input_erased", result: null },
      completed_at: expect.any(Number),
    });
    expect(await receiptFor(world, "again")).toMatchObject({ status: "queued" });
  });

  test("leaves a failed one's rules as they were, and automatic work goes on", async () => {
    const world = makeWorld();
    await seedRules(world, pairs(1));
    const { operation_id: operationId } = await receiptFor(world, "nightly");
    await seedRules(world, [{ id: 9, userId: "cleo", trigger: "Never", content: "Nothing." }]);
    await world.db.run(
      sql`DELETE FROM user_playbooks WHERE org_id = ${world.orgId} AND user_playbook_id = 9`,
    );
    expect(await operationOf(world, operationId)).toMatchObject({ error: "input_erased" });
    await runAggregationTurn(world.services, world.orgId, "v1");
    expect(await agentRules(world)).toHaveLength(1);
  });
});

describe("over HTTP", () => {
  const ORG = "self-host-org";
  const db = new Database(env.DB);
  const path = "/api/playbook_aggregation_operations";
  const call = async (method: string, address: string, body?: unknown, principal = "rita; owner") => {
    const response = await exports.default.fetch(
      new Request(`http://localhost${address}`, {
        method,
        headers: { "x-playmaker-principal": principal },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    return { status: response.status, body: await response.json<Record<string, unknown>>() };
  };

  test("a submission answers with its receipt without null keys, and the receipt can be read again", async () => {
    const { status, body } = await call("POST", path, { request_id: "r1", agent_version: "explicit-v1" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ request_id: "r1", agent_version: "explicit-v1", status: "queued" });
    expect(Object.values(body)).not.toContain(null);
    const read = await call("GET", `${path}/${String(body.operation_id)}`);
    expect(read).toMatchObject({ status: 200, body: { operation_id: body.operation_id } });
  });

  test("a conflict is a 409 that carries the active operation's id", async () => {
    await db.run(sql`INSERT INTO operations (org_id, operation_id, kind, agent_version, request_id, status, attempts,
      created_at, updated_at) VALUES (${ORG}, 'op_active', 'aggregation', 'busy-v1', 'r', 'queued', 0, 1, 1)`);
    expect(await call("POST", path, { request_id: "mine", agent_version: "busy-v1" })).toEqual({
      status: 409,
      body: { detail: expect.any(String), operation_id: "op_active" },
    });
  });

  test.each([
    ["a blank id", { request_id: "  ", agent_version: "v" }, "/request_id"],
    ["no id", { agent_version: "v" }, "/request_id"],
    ["an id of 201 characters", { request_id: "x".repeat(201), agent_version: "v" }, "/request_id"],
    ["a blank version", { request_id: "r", agent_version: "\t" }, "/agent_version"],
  ])("%s is a 422 that names the field", async (_name, body, pointer) => {
    expect(await call("POST", path, body)).toMatchObject({ status: 422, body: { detail: [{ pointer }] } });
  });

  test("an agent's key may read a receipt and not submit", async () => {
    expect((await call("POST", path, { request_id: "x", agent_version: "v" }, "bot; agent")).status).toBe(
      403,
    );
    expect((await call("GET", `${path}/op_active`, undefined, "bot; agent")).status).toBe(200);
  });

  test("a foreign operation answers exactly like one that does not exist", async () => {
    await db.run(sql`INSERT INTO operations (org_id, operation_id, kind, agent_version, request_id, status, attempts,
      created_at, updated_at) VALUES ('other-org', 'op_theirs', 'aggregation', 'v', 'r', 'failed', 0, 1, 1)`);
    const foreign = await call("GET", `${path}/op_theirs`);
    expect(foreign.status).toBe(404);
    expect(foreign).toEqual(await call("GET", `${path}/op_nobody`));
  });
});
