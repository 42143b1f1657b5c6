/** Clusters are split where their rules contradict, whatever the order they come in. */
import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { contradict, splitContradictions } from "../../../src/aggregation/clustering/contradiction";

const rule = (id: number, content: string, values = [1, 0]) => ({
  id,
  content,
  vector: Float32Array.from(values),
});

test("opposite rules part, and a neutral one joins the side most like it", () => {
  const rules = [
    rule(1, "Explain the idea before the code.", [1, 0]),
    rule(2, "Skip explanations; show the code.", [0, 1]),
    rule(3, "Use small examples.", [0.1, 1]),
    rule(4, "First explain, then show the code.", [1, 0]),
  ];
  expect(splitContradictions(rules)).toEqual([
    [1, 4],
    [2, 3],
  ]);
});

test("rules in one direction stay together", () => {
  expect(splitContradictions([rule(2, "Keep it short."), rule(1, "Answer briefly.")])).toEqual([[1, 2]]);
  expect(splitContradictions([])).toEqual([]);
});

test("no group holds a contradiction, every rule stands in exactly one, and order does not matter", () => {
  const contents = [
    "Use tabs.",
    "Use spaces, not tabs.",
    "Keep it short.",
    "Give thorough answers.",
    "No examples.",
    "Show examples.",
    "Run the tests before you deploy.",
    "Deploy before you run the tests.",
  ];
  const rules = fc
    .array(fc.constantFrom(...contents), { maxLength: 12 })
    .map((list) => list.map((content, index) => rule(index + 1, content, [index % 3, 1])))
    .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
  fc.assert(
    fc.property(rules, ([list, shuffled]) => {
      const groups = splitContradictions(list);
      expect(splitContradictions(shuffled)).toEqual(groups);
      expect(groups.flat().sort((a, b) => a - b)).toEqual(list.map(({ id }) => id));
      for (const group of groups) {
        const members = list.filter(({ id }) => group.includes(id));
        expect(members.some((one) => members.some((other) => contradict(one.content, other.content)))).toBe(
          false,
        );
      }
    }),
  );
});

const oraclePath = new URL("../../../../shared/data/extraction-oracle.json", import.meta.url);
const reference = z.tuple([z.string(), z.string()]);
const oracleSchema = z.object({
  files: z.array(
    z.object({ file: z.string(), expected: z.array(z.object({ id: z.string(), content: z.string() })) }),
  ),
  aggregation: z.object({
    if_one_version: z.array(z.object({ theme: z.string(), members: z.array(reference) })),
    must_not_merge: z.array(z.object({ a: z.array(reference), b: z.array(reference) })),
  }),
});

test.skipIf(!existsSync(oraclePath))(
  "reference labels (skipped where ../shared is missing): opposites part, themes stay whole",
  () => {
    const oracle = oracleSchema.parse(JSON.parse(readFileSync(oraclePath, "utf8")));
    const contentOf = ([file, id]: z.infer<typeof reference>): string =>
      oracle.files.find((entry) => entry.file === file)?.expected.find((entry) => entry.id === id)?.content ??
      "";
    for (const { a, b } of oracle.aggregation.must_not_merge) {
      for (const left of a)
        for (const right of b) expect(contradict(contentOf(left), contentOf(right))).toBe(true);
    }
    for (const { theme, members } of oracle.aggregation.if_one_version) {
      // Its members name different channels: one cluster for each channel.
      const groups = splitContradictions(members.map((member, index) => rule(index + 1, contentOf(member))));
      expect(groups.length, theme).toBe(theme === "preferred-contact-channel" ? 2 : 1);
    }
  },
);
