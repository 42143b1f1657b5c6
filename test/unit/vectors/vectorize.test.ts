/** What the Vectorize adapter sends, and how it names what comes back wrong. */
import { describe, expect, it } from "vitest";
import { entityIdOf, vectorEntryId } from "../../../src/platform/vectors/entry-id";
import { VectorIndexError } from "../../../src/platform/vectors/errors";
import type { VectorEntry } from "../../../src/platform/vectors/port";
import {
  indexedProperties,
  type VectorizeBinding,
  VectorizeIndexAdapter,
} from "../../../src/platform/vectors/vectorize";
import { VectorizeFake } from "../../support/vectorize-fake";

const MODEL = { name: "m", dimension: 3 };
const unit = new Float32Array([1, 0, 0]);
const entry = (id: string): VectorEntry => ({
  ...{ id, orgId: "o", kind: "user_playbook", entityId: 1, agentVersion: "v".repeat(500), userId: "u" },
  values: unit,
});
const newFake = (seed = 1, indexed: readonly string[] = indexedProperties) =>
  new VectorizeFake({ dimension: 3, indexed, seed });

const faultOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "none",
    (error: unknown) => (error instanceof VectorIndexError ? error.fault : error),
  );

describe("the Vectorize adapter", () => {
  it("splits what is too much for one call", async () => {
    const fake = newFake();
    const index = new VectorizeIndexAdapter(fake, MODEL);
    const entries = Array.from({ length: 2001 }, (_, n) => entry(`e${n}`));
    await index.upsert(entries);
    expect(fake.calls.upsert).toBe(3);
    await index.remove(
      "o",
      entries.map(({ id }) => id),
    );
    expect(fake.calls.deleteByIds).toBe(5);
    await index.upsert([]);
    await index.remove("o", []);
    expect(fake.calls).toEqual({ upsert: 3, deleteByIds: 5, query: 0 });
  });

  it("sends no name of an org, a version or a user", async () => {
    const sent: unknown[] = [];
    const fake = newFake();
    const binding: VectorizeBinding = {
      upsert: async (vectors) => sent.push(vectors),
      deleteByIds: async (ids) => sent.push(ids),
      query: async (...query) => {
        sent.push(query);
        return fake.query(...query);
      },
    };
    const index = new VectorizeIndexAdapter(binding, MODEL);
    const names = { orgId: "Org Secret", agentVersion: "Version Secret", userId: "User Secret" };
    await index.upsert([{ ...entry("e"), ...names }]);
    await index.query({ ...names, kind: "user_playbook", values: unit, topK: 1 });
    expect(sent).toHaveLength(2);
    expect(JSON.stringify(sent)).not.toContain("Secret");
  });

  it("tells faults of the request from faults that may pass", async () => {
    const failing = (message: string): VectorizeBinding => ({
      upsert: () => Promise.reject(new Error(message)),
      deleteByIds: () => Promise.reject(new Error(message)),
      query: () => Promise.reject(new Error(message)),
    });
    for (const [message, fault] of [
      ["VECTOR_UPSERT_ERROR (code = 40012): expected 3 dimensions", "refused"],
      ["VECTOR_QUERY_ERROR (code = 50000): internal", "transient"],
      ["Network connection lost.", "transient"],
      ["VECTORIZE_ERROR (code = 40041): too many requests, retry later", "transient"],
    ] as const) {
      const index = new VectorizeIndexAdapter(failing(message), MODEL);
      expect(await faultOf(index.upsert([entry("e")]))).toBe(fault);
      expect(await faultOf(index.remove("o", ["e"]))).toBe(fault);
      expect(await faultOf(index.query({ orgId: "o", kind: "profile", values: unit, topK: 1 }))).toBe(fault);
    }
  });

  it("is refused where the service lacks a metadata index", async () => {
    const index = new VectorizeIndexAdapter(newFake(1, ["kind", "version"]), MODEL);
    const query = { orgId: "o", kind: "user_playbook" as const, values: unit, topK: 1 };
    expect(await faultOf(index.query(query))).toBe("none");
    expect(await faultOf(index.query({ ...query, userId: "u" }))).toBe("refused");
  });
});

describe("the fake of the service", () => {
  const vector = (id: string) => ({
    ...{ id, values: unit, namespace: "n" },
    metadata: { kind: "k", version: "v", user: "u" },
  });
  const shown = async (fake: VectorizeFake) => {
    const options = {
      topK: 100,
      namespace: "n",
      filter: {},
      returnValues: false,
      returnMetadata: "none",
    } as const;
    return (await fake.query(unit, options)).matches.map(({ id }) => id);
  };

  it("shows writes after a delay and in an order of its own", async () => {
    const orders = new Set<string>();
    for (let seed = 1; seed <= 20; seed += 1) {
      const fake = newFake(seed);
      await fake.upsert(["a", "b", "c"].map(vector));
      expect(await shown(fake)).toEqual([]);
      const order: string[] = [];
      for (let step = 0; step < 100; step += 1) {
        fake.advance(100);
        for (const id of await shown(fake)) if (!order.includes(id)) order.push(id);
      }
      expect(order.toSorted()).toEqual(["a", "b", "c"]);
      orders.add(order.join());
    }
    expect(orders.size).toBeGreaterThan(1);
  });

  it("refuses what the service refuses", async () => {
    const fake = newFake();
    const many = Array.from({ length: 1001 }, (_, n) => vector(`e${n}`));
    await expect(fake.upsert(many)).rejects.toThrow("at most 1000");
    await expect(fake.upsert([vector("x".repeat(65))])).rejects.toThrow("65 bytes");
    await expect(fake.upsert([{ ...vector("a"), values: new Float32Array(4) }])).rejects.toThrow(
      "dimensions",
    );
    await expect(fake.upsert([{ ...vector("a"), namespace: "x".repeat(65) }])).rejects.toThrow("namespace");
    const metadata = { kind: "k", version: "v", user: "x".repeat(11_000) };
    await expect(fake.upsert([{ ...vector("a"), metadata }])).rejects.toThrow("too large");
    const options = {
      topK: 101,
      namespace: "n",
      filter: {},
      returnValues: false,
      returnMetadata: "none",
    } as const;
    await expect(fake.query(unit, options)).rejects.toThrow("topK");
    fake.settle();
    expect(await shown(fake)).toEqual([]);
  });
});

describe("entry ids", () => {
  it("fit the service, tell the row and differ for every org, kind and model", async () => {
    const largest = Number.MAX_SAFE_INTEGER;
    const ids = await Promise.all([
      vectorEntryId("o", "user_playbook", largest, "m"),
      vectorEntryId("p", "user_playbook", largest, "m"),
      vectorEntryId("o", "agent_playbook", largest, "m"),
      vectorEntryId("o", "user_playbook", largest, "n"),
    ]);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) {
      expect(id.length).toBeLessThanOrEqual(50);
      expect(entityIdOf(id)).toBe(largest);
    }
    for (const id of [
      "",
      "v1",
      "v1_short",
      "w1_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "v-1_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ]) {
      expect(entityIdOf(id)).toBeNull();
    }
  });
});
