/** What every vector index does; run once per adapter. */
import { beforeEach, describe, expect, it } from "vitest";
import { VectorIndexError } from "../../../src/platform/vectors/errors";
import type { VectorEntry, VectorIndex, VectorQuery } from "../../../src/platform/vectors/port";

export const MODEL = { name: "contract-model", dimension: 8 };
/** Cosine error that int8 storage may add. */
const INT8_ERROR = 0.01;

export interface Subject {
  index: VectorIndex;
  /** Makes earlier writes visible. */
  settle(): void;
}

let orgs = 0;
let orgId = "";

/** The unit vector at `degrees` in the plane of the first two dimensions. */
export function at(degrees: number): Float32Array {
  const values = new Float32Array(MODEL.dimension);
  values[0] = Math.cos((degrees * Math.PI) / 180);
  values[1] = Math.sin((degrees * Math.PI) / 180);
  return values;
}

function entry(id: string, degrees: number, rest: Partial<VectorEntry> = {}): VectorEntry {
  const defaults = { orgId, kind: "user_playbook" as const, entityId: 1, agentVersion: "v1", userId: "ann" };
  return { ...defaults, id, values: at(degrees), ...rest };
}

function near(degrees: number, rest: Partial<VectorQuery> = {}): VectorQuery {
  return { orgId, kind: "user_playbook", values: at(degrees), topK: 10, ...rest };
}

async function expectRefusal(call: Promise<unknown>): Promise<void> {
  const fault = await call.then(
    () => "no error",
    (error: unknown) => (error instanceof VectorIndexError ? error.fault : error),
  );
  expect(fault).toBe("refused");
}

export function describeVectorIndex(name: string, subject: () => Subject): void {
  describe(`${name} as a vector index`, () => {
    let index: VectorIndex;
    let settle: () => void;
    const ids = async (query: VectorQuery) => (await index.query(query)).map(({ id }) => id);

    beforeEach(() => {
      ({ index, settle } = subject());
      orgs += 1;
      orgId = `org ${orgs} / ü`;
    });

    it("answers the nearest first, with the cosine as score", async () => {
      await index.upsert([entry("far", 80), entry("near", 10), entry("exact", 0), entry("opposite", 180)]);
      settle();
      const hits = await index.query(near(0));
      expect(hits.map(({ id }) => id)).toEqual(["exact", "near", "far", "opposite"]);
      for (const [position, degrees] of [0, 10, 80, 180].entries()) {
        const error = Math.abs((hits[position]?.score ?? 9) - Math.cos((degrees * Math.PI) / 180));
        expect(error).toBeLessThan(INT8_ERROR);
      }
    });

    it("orders equal scores by id and ends at topK", async () => {
      await index.upsert(["c", "a", "b"].map((id) => entry(id, 30)));
      settle();
      expect(await ids(near(30))).toEqual(["a", "b", "c"]);
      expect(await ids(near(30, { topK: 2 }))).toHaveLength(2);
    });

    it("keeps orgs, kinds, agent versions and users apart", async () => {
      const otherOrg = `${orgId}!`;
      await index.upsert([
        entry("mine", 0),
        entry("other-org", 0, { orgId: otherOrg }),
        entry("other-kind", 0, { kind: "agent_playbook", userId: "" }),
        entry("other-version", 0, { agentVersion: "v10" }),
        entry("other-user", 0, { userId: "ann " }),
      ]);
      settle();
      expect(await ids(near(0))).toEqual(["mine", "other-user", "other-version"]);
      expect(await ids(near(0, { agentVersion: "v1", userId: "ann" }))).toEqual(["mine"]);
      expect(await ids(near(0, { userId: "ann" }))).toEqual(["mine", "other-version"]);
      expect(await ids(near(0, { agentVersion: "v10" }))).toEqual(["other-version"]);
      expect(await ids(near(0, { kind: "agent_playbook" }))).toEqual(["other-kind"]);
      expect(await ids(near(0, { orgId: otherOrg }))).toEqual(["other-org"]);
      expect(await ids(near(0, { userId: "nobody" }))).toEqual([]);
    });

    it("takes names of any length and any characters", async () => {
      const agentVersion = "v".repeat(1000);
      const userId = "用户\u0000'\"; DROP TABLE entries;--";
      await index.upsert([entry("odd", 0, { agentVersion, userId })]);
      settle();
      expect(await ids(near(0, { agentVersion, userId }))).toEqual(["odd"]);
    });

    it("stores the same entry twice as one", async () => {
      await index.upsert([entry("a", 0), entry("a", 0)]);
      await index.upsert([entry("a", 0)]);
      settle();
      expect(await ids(near(0))).toEqual(["a"]);
    });

    it("replaces an entry whole: its vector, version, kind and user", async () => {
      await index.upsert([entry("a", 0), entry("b", 5)]);
      settle();
      await index.upsert([entry("a", 90, { agentVersion: "v2", userId: "bob" })]);
      settle();
      expect(await ids(near(0, { agentVersion: "v1" }))).toEqual(["b"]);
      expect(await ids(near(0, { userId: "ann" }))).toEqual(["b"]);
      const [hit] = await index.query(near(90, { agentVersion: "v2", userId: "bob" }));
      expect(hit?.id).toBe("a");
      expect(hit?.score).toBeCloseTo(1, 2);
    });

    it("removes what is there and ignores what is not, as often as asked", async () => {
      await index.upsert([entry("a", 0), entry("b", 10)]);
      settle();
      await index.remove(orgId, ["a", "never-there"]);
      await index.remove(orgId, ["a"]);
      settle();
      expect(await ids(near(0))).toEqual(["b"]);
      await index.upsert([entry("a", 0)]);
      settle();
      expect(await ids(near(0))).toEqual(["a", "b"]);
    });

    it("does nothing on empty lists and finds nothing in an empty org", async () => {
      await index.upsert([]);
      await index.remove(orgId, []);
      expect(await ids(near(0))).toEqual([]);
    });

    it("never finds, and never is found by, a vector without direction", async () => {
      const zero = new Float32Array(MODEL.dimension);
      await index.upsert([entry("a", 0), entry("turned-empty", 0)]);
      settle();
      await index.upsert([entry("empty", 0, { values: zero }), entry("turned-empty", 0, { values: zero })]);
      settle();
      expect(await ids(near(0))).toEqual(["a"]);
      expect(await ids({ ...near(0), values: zero })).toEqual([]);
    });

    it("holds more entries than a batch and a block, and finds the nearest of them", async () => {
      const many = Array.from({ length: 1300 }, (_, n) => entry(`n${n}`, 20 + n * 0.1));
      await index.upsert([...many, entry("needle", 3)]);
      settle();
      expect(await ids(near(0, { topK: 100 }))).toHaveLength(100);
      expect((await ids(near(0)))[0]).toBe("needle");
      await index.remove(
        orgId,
        many.map(({ id }) => id),
      );
      settle();
      expect(await ids(near(0))).toEqual(["needle"]);
    });

    it("refuses more than 100 results, long ids, other dimensions and numbers that are none", async () => {
      await expectRefusal(index.query(near(0, { topK: 101 })));
      await expectRefusal(index.query(near(0, { topK: 0 })));
      await expectRefusal(index.query({ ...near(0), values: new Float32Array(7) }));
      await expectRefusal(index.upsert([entry("ü".repeat(33), 0)]));
      await expectRefusal(index.upsert([entry("", 0)]));
      await expectRefusal(index.upsert([entry("a", 0, { values: new Float32Array(9).fill(1) })]));
      await expectRefusal(index.upsert([entry("a", 0, { values: new Float32Array(8).fill(Number.NaN) })]));
      expect(await ids(near(0))).toEqual([]);
    });
  });
}
