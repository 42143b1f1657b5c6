/** What of a cluster reaches the prompt. */
import { expect, test } from "vitest";
import {
  chooseContextRules,
  choosePromptSources,
  groupByDirection,
  labelUsers,
} from "../../../src/aggregation/prompt-sources";

const row = (id: number, values: number[] = [1, 0], createdAtSec = id) => ({
  id,
  userId: "u",
  createdAtSec,
  content: `c${id}`,
  vector: Float32Array.from(values),
});

test("a refresh shows the newest rows, ties by the higher id", () => {
  const rows = [row(1, [1, 0], 5), row(2, [1, 0], 9), row(3, [1, 0], 5)];
  expect(choosePromptSources(rows, "refresh", 2).map(({ id }) => id)).toEqual([2, 3]);
});

test("a new cluster shows the rows most like its mean, ties by the lower id", () => {
  const rows = [row(1, [0, 1]), row(2), row(3), row(4)];
  expect(choosePromptSources(rows, "new", 2).map(({ id }) => id)).toEqual([2, 3]);
});

test("vectors of mixed dimension fall back to the newest rows", () => {
  const rows = [row(1), row(2, [1, 0, 0]), row(3)];
  expect(choosePromptSources(rows, "new", 2).map(({ id }) => id)).toEqual([2, 3]);
});

test("at most a hundred sources by default", () => {
  const rows = Array.from({ length: 140 }, (_, index) => row(index + 1));
  expect(choosePromptSources(rows, "new")).toHaveLength(100);
  expect(choosePromptSources(rows, "refresh")).toHaveLength(100);
});

const rule = (agentPlaybookId: number, vector: number[] | null, content = "") => ({
  agentPlaybookId,
  trigger: "",
  content,
  vector: vector === null ? null : Float32Array.from(vector),
});

test("context rules rank by cosine, exclude the cluster's own, and are twenty at most", () => {
  const rules = [rule(1, [0, 1]), rule(2, [1, 0]), rule(3, [1, 0])];
  const cluster = { vectors: [Float32Array.of(1, 0)], text: "" };
  expect(chooseContextRules(rules, cluster, [3]).map(({ agentPlaybookId }) => agentPlaybookId)).toEqual([
    2, 1,
  ]);
  const many = Array.from({ length: 30 }, (_, index) => rule(index, [1, 0]));
  expect(chooseContextRules(many, cluster, [])).toHaveLength(20);
});

test("a rule without a vector ranks by shared words", () => {
  const rules = [rule(1, null, "ship parcels late"), rule(2, null, "greet visitors")];
  const cluster = { vectors: [Float32Array.of(1, 0)], text: "greet every visitor warmly" };
  expect(chooseContextRules(rules, cluster, [], 1).map(({ agentPlaybookId }) => agentPlaybookId)).toEqual([
    2,
  ]);
});

test("rows join the first group they overlap enough, in input order", () => {
  const rows = ["Keep replies short", "Keep replies very short please", "Cite the source page"].map(
    (content) => ({ content }),
  );
  expect(groupByDirection(rows, 0.6).map((group) => group.length)).toEqual([2, 1]);
  expect(groupByDirection(rows, 1.1).map((group) => group.length)).toEqual([1, 1, 1]);
});

test("user labels are per cluster, in order of appearance; rows without a user count alone", () => {
  const rows = [
    { id: 1, userId: "zed" },
    { id: 2, userId: null },
    { id: 3, userId: "zed" },
    { id: 4, userId: null },
  ];
  expect([...labelUsers(rows).values()]).toEqual(["U1", "U2", "U1", "U3"]);
});
