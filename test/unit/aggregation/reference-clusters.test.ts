/** Clusters of the reference rules with the shipped embedder and its own threshold. Skipped where either is missing. */
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import * as z from "zod";
import { averageLinkage } from "../../../src/aggregation/clustering/average-linkage";
import { splitContradictions } from "../../../src/aggregation/clustering/contradiction";
import { jointSimilarity } from "../../../src/aggregation/clustering/joint";
import { withJointVectors } from "../../../src/aggregation/embedding";
import { createStaticEmbedder, STATIC_TABLE_PATH } from "../../../src/platform/embedder/static";

const oraclePath = new URL("../../../../shared/data/extraction-oracle.json", import.meta.url);
const tablePath = new URL(`../../../assets/public${STATIC_TABLE_PATH}`, import.meta.url);

const reference = z.tuple([z.string(), z.string()]).transform(([file, id]) => `${file}/${id}`);
const oracleSchema = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      expected: z.array(z.object({ id: z.string(), trigger: z.string(), content: z.string() })),
    }),
  ),
  aggregation: z.object({
    if_one_version: z.array(z.object({ theme: z.string(), members: z.array(reference) })),
    must_not_merge: z.array(z.object({ a: z.array(reference), b: z.array(reference) })),
  }),
});

const hasBoth = existsSync(oraclePath) && existsSync(tablePath);

test.skipIf(!hasBoth)("most reference themes are found, and no forbidden pair shares a cluster", async () => {
  const oracle = oracleSchema.parse(JSON.parse(readFileSync(oraclePath, "utf8")));
  const embedder = createStaticEmbedder(async () => Uint8Array.from(await readFile(tablePath)).buffer);
  const rules = oracle.files.flatMap(({ file, expected }) =>
    expected.map((rule) => ({ ...rule, key: `${file}/${rule.id}` })),
  );
  const situations = await embedder.embed(
    rules.map(({ trigger }) => trigger),
    "document",
  );
  const points = (
    await withJointVectors(
      { embedder },
      rules.map((rule, index) => ({ ...rule, vector: situations[index] ?? new Float32Array() })),
    )
  ).map((rule, index) => ({ ...rule, id: index + 1, vector: rule.joint }));
  const similarity = jointSimilarity(embedder.model.clusteringSimilarity);
  const clusters = averageLinkage(points, { similarity, minClusterSize: 2 })
    .flatMap((ids) => splitContradictions(points.filter(({ id }) => ids.includes(id))))
    .filter((ids) => ids.length >= 2)
    .map((ids) => new Set(points.filter(({ id }) => ids.includes(id)).map(({ key }) => key)));
  const together = (keys: readonly string[]) =>
    clusters.some((cluster) => keys.filter((key) => cluster.has(key)).length >= 2);
  const found = oracle.aggregation.if_one_version.filter(({ members }) => together(members));
  console.log(
    `reference themes found: ${found.length} of ${oracle.aggregation.if_one_version.length}, in ${clusters.length} clusters at ${similarity}`,
  );
  for (const { a, b } of oracle.aggregation.must_not_merge) {
    for (const left of a)
      for (const right of b)
        expect(clusters.some((cluster) => cluster.has(left) && cluster.has(right))).toBe(false);
  }
  expect(found.length).toBeGreaterThanOrEqual(6);
});
