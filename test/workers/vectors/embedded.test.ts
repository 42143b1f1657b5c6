/** The embedded index under the contract, and what only it promises. */

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { asInt8, quantise } from "../../../src/platform/embedder/quantise";
import { derivedId } from "../../../src/platform/ids";
import { EmbeddedVectorIndex } from "../../../src/platform/vectors/embedded";
import { EmbeddedVectorIndexAdapter } from "../../../src/platform/vectors/embedded-adapter";
import { at, describeVectorIndex, MODEL } from "./contract";

const adapter = () => new EmbeddedVectorIndexAdapter(env.EMBEDDED_VECTORS, MODEL);

describeVectorIndex("The embedded index", () => ({ index: adapter(), settle: () => {} }));

describe("The embedded index", () => {
  const entry = (orgId: string, id: string, degrees: number) => ({
    ...{ orgId, id, values: at(degrees), entityId: 1, agentVersion: "v", userId: "u" },
    kind: "user_playbook" as const,
  });
  const object = async (orgId: string) =>
    env.EMBEDDED_VECTORS.get(
      env.EMBEDDED_VECTORS.idFromName(await derivedId("vectors", [orgId, MODEL.name, MODEL.dimension])),
    );

  it("can be emptied and built again", async () => {
    const index = adapter();
    const query = { orgId: "cache", kind: "user_playbook" as const, values: at(0), topK: 5 };
    await index.upsert([entry("cache", "a", 0), entry("cache", "b", 40)]);
    const before = await index.query(query);
    await index.clear("cache");
    expect(await index.query(query)).toEqual([]);
    await index.upsert([entry("cache", "b", 40), entry("cache", "a", 0)]);
    expect(await index.query(query)).toEqual(before);
  });

  it("never compares vectors of two models", async () => {
    await adapter().upsert([entry("models", "a", 0)]);
    const other = new EmbeddedVectorIndexAdapter(env.EMBEDDED_VECTORS, { ...MODEL, name: "another" });
    expect(await other.query({ orgId: "models", kind: "user_playbook", values: at(0), topK: 5 })).toEqual([]);
  });

  it("uses freed places again instead of growing", async () => {
    const index = adapter();
    const ids = Array.from({ length: 256 }, (_, n) => `n${n}`);
    await index.upsert(ids.map((id) => entry("places", id, 10)));
    await index.remove("places", ids.slice(0, 100));
    await index.upsert(ids.slice(0, 100).map((id) => entry("places", `again-${id}`, 10)));
    await runInDurableObject(await object("places"), async (instance, state) => {
      expect(instance).toBeInstanceOf(EmbeddedVectorIndex);
      expect(await instance.count()).toBe(256);
      expect(state.storage.sql.exec("SELECT used FROM blocks").toArray()).toEqual([{ used: 256 }]);
    });
  });

  it("drops blocks that became empty", async () => {
    const index = adapter();
    await index.upsert([entry("gone", "a", 0)]);
    await index.remove("gone", ["a"]);
    await runInDurableObject(await object("gone"), (_, state) => {
      expect(state.storage.sql.exec("SELECT * FROM blocks").toArray()).toEqual([]);
    });
  });

  it("stores all of a call or nothing of it", async () => {
    await adapter().upsert([entry("whole", "a", 0)]);
    const packed = (id: string, components: Int8Array) => ({
      ...{ id, kind: "user_playbook" as const, agentVersion: "v", userId: "u", components },
    });
    await runInDurableObject(await object("whole"), async (instance) => {
      const call = instance.put([
        packed("b", asInt8(quantise(at(1)).bytes)),
        packed("c", new Int8Array(3).fill(1)),
      ]);
      await expect(call).rejects.toThrow("another dimension");
      expect(await instance.count()).toBe(1);
      const hits = await instance.nearest({ kind: "user_playbook", values: at(0), topK: 5 });
      expect(hits.map(({ id }) => id)).toEqual(["a"]);
    });
  });
});
