/** Which rules go where: situation and instruction decide together, contradictions part. */
import { expect, test } from "vitest";
import { jointSimilarity, jointVector } from "../../../src/aggregation/clustering/joint";
import { plainKernel } from "../../../src/aggregation/clustering/spanning-tree/plain";
import { cosine } from "../../../src/aggregation/clustering/vector-math";
import type { CandidateCluster, Member } from "../../../src/aggregation/model";
import { clusterMembers, matchMembers, nearCentroids, splitOpponents } from "../../../src/aggregation/plan";
import type { AgentPlaybook } from "../../../src/playbooks/model";

const settings = {
  agentVersion: "v1",
  space: { model: "m", dimension: 2 },
  similarity: 0.6,
  jointSimilarity: 0.6,
  minClusterSize: 2,
  triggerCount: 2,
};

const host = { kernel: plainKernel, pause: async () => {} };

function joint(situation: number[], instruction: number[]): Float32Array {
  const vector = jointVector(Float32Array.from(situation), Float32Array.from(instruction));
  if (vector === null) throw new Error("no direction");
  return vector;
}

const member = (id: number, situation: number[], instruction: number[], content = "Do it."): Member => ({
  row: {
    orgId: "o",
    userPlaybookId: id,
    userId: `u${id}`,
    agentVersion: "v1",
    requestId: "r",
    playbookName: "",
    createdAt: 1,
    updatedAtMs: 1,
    status: null,
    source: null,
    sourceInteractionIds: [],
    sourceSpan: null,
    tags: null,
    notes: null,
    readerAngle: null,
    expandedTerms: null,
    mergedInto: null,
    supersededBy: null,
    retiredAt: null,
    flags: [],
    windowId: null,
    trigger: "t",
    content,
    rationale: null,
  },
  vector: Float32Array.from(situation),
  joint: joint(situation, instruction),
});

const agent = (agentPlaybookId: number, content: string): AgentPlaybook => ({
  orgId: "o",
  agentPlaybookId,
  playbookName: "",
  agentVersion: "v1",
  createdAt: 1,
  updatedAtMs: 1,
  playbookStatus: "pending",
  playbookMetadata: "",
  status: null,
  tags: null,
  expandedTerms: null,
  mergedInto: null,
  supersededBy: null,
  retiredAt: null,
  flags: [],
  version: 1,
  decidedBy: null,
  decidedAt: null,
  replaces: null,
  trigger: "t",
  content,
  rationale: null,
});

const cluster = (
  id: number,
  situation: number[],
  instruction: number[],
  content = "Do it.",
): CandidateCluster => ({
  clusterId: `c${id}`,
  agentVersion: "v1",
  agentPlaybookId: id,
  ...settings.space,
  vector: Float32Array.from(situation),
  joint: joint(situation, instruction),
  agent: agent(id, content),
});

const idsOf = (members: readonly Member[]) => members.map(({ row }) => row.userPlaybookId);

test("in the cosine of joint vectors the instruction counts double", () => {
  expect(cosine(joint([1, 0], [1, 0]), joint([1, 0], [0, 1]))).toBeCloseTo(1 / 3, 6);
  expect(cosine(joint([1, 0], [1, 0]), joint([0, 1], [1, 0]))).toBeCloseTo(2 / 3, 6);
  expect(cosine(joint([3, 0], [0, 2]), joint([1, 0], [0, 1]))).toBeCloseTo(1, 6);
});

test("the joint threshold lies a tenth farther out and never passes for identity", () => {
  expect(jointSimilarity(0.55)).toBeCloseTo(0.505, 6);
  expect(jointSimilarity(0.93)).toBeCloseTo(0.923, 6);
  expect(jointSimilarity(1)).toBe(1);
});

test("an instruction without known words leaves the situation to speak for both; no situation is no vector", () => {
  expect(joint([1, 0], [0, 0])).toEqual(joint([1, 0], [1, 0]));
  expect(jointVector(Float32Array.of(0, 0), Float32Array.of(1, 0))).toBeNull();
});

test("rules for the same situation with unrelated instructions do not cluster", async () => {
  const members = [member(1, [1, 0], [1, 0]), member(2, [1, 0], [0, 1]), member(3, [1, 0], [1, 0.1])];
  expect((await clusterMembers(members, settings, host)).map(idsOf)).toEqual([[1, 3]]);
});

test("fewer rules than the trigger count, or a cluster size below two, cluster nothing", async () => {
  const members = [member(1, [1, 0], [1, 0]), member(2, [1, 0], [1, 0])];
  expect(await clusterMembers(members, { ...settings, triggerCount: 3 }, host)).toEqual([]);
  expect(await clusterMembers(members, { ...settings, minClusterSize: 1 }, host)).toEqual([]);
  expect(await clusterMembers(members, { ...settings, triggerCount: 0 }, host)).toHaveLength(1);
});

test("what a contradiction leaves too small is no cluster", async () => {
  const members = [
    member(1, [1, 0], [1, 0], "Use tabs."),
    member(2, [1, 0], [1, 0], "Use spaces, not tabs."),
  ];
  expect(await clusterMembers(members, settings, host)).toEqual([]);
});

test("a member joins the nearest cluster that fits situation and instruction; others stay unmatched", async () => {
  const clusters = [cluster(1, [1, 0], [0, 1]), cluster(2, [1, 0.2], [1, 0])];
  const members = [member(3, [1, 0], [1, 0]), member(1, [1, 0], [0, 1]), member(2, [0, 1], [1, 0])];
  const { matches, unmatched } = await matchMembers(members, clusters, settings, host);
  expect(matches.map(({ clusterId, members: joined }) => [clusterId, idsOf(joined)])).toEqual([
    ["c1", [1]],
    ["c2", [3]],
  ]);
  expect(idsOf(unmatched)).toEqual([2]);
});

test("an instruction alone never makes a match: the situation must be near by itself", async () => {
  const near = cluster(1, [0.5, 0.9], [1, 0]);
  expect(cosine(joint([1, 0], [1, 0]), near.joint)).toBeGreaterThan(settings.similarity);
  expect((await matchMembers([member(1, [1, 0], [1, 0])], [near], settings, host)).matches).toEqual([]);
  expect(await nearCentroids([member(1, [1, 0], [1, 0])], [near], settings, host)).toEqual([]);
});

test("who wants the opposite of the cluster's rule does not join it", () => {
  const match = {
    clusterId: "c1",
    agent: agent(1, "- Explain the idea before the code."),
    members: [
      member(1, [1, 0], [1, 0], "Skip explanations."),
      member(2, [1, 0], [1, 0], "Explain the plan."),
    ],
  };
  const { joining, opposing } = splitOpponents(match);
  expect([idsOf(joining), idsOf(opposing)]).toEqual([[2], [1]]);
});

test("matching many rules to many clusters pauses on the way, so that calls are answered", async () => {
  const wide = (value: number) => Array.from({ length: 512 }, (_, index) => (index === value % 512 ? 1 : 0));
  const members = Array.from({ length: 200 }, (_, index) => member(index + 1, wide(index), wide(index)));
  const clusters = Array.from({ length: 200 }, (_, index) => cluster(index + 1, wide(index), wide(index)));
  const space = { model: "m", dimension: 512 };
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  const near = await nearCentroids(members, clusters, { ...settings, space }, { pause });
  expect([near.length, pauses]).toEqual([200, 1]);
  await matchMembers(members, clusters, { ...settings, space }, { pause });
  expect(pauses).toBe(3);
});
