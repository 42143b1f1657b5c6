import { describe, expect, it } from "vitest";
import {
  sessionStateOf,
  stateText,
  turnStateOf,
  turnStates,
} from "../../../src/dashboard/sessions/turn-state";
import type { CoverageFacts } from "../../../src/interactions/coverage";
import type { TurnLearning } from "../../../src/interactions/turn-learning-store";

const turn = { userId: "ann", interactionId: 5, isEligible: true, nowMs: 1_000 };

const learning = (over: Partial<TurnLearning> = {}): TurnLearning => ({
  cursors: new Map(),
  windows: [],
  revoked: new Set(),
  lessons: [],
  ...over,
});

const window = (state: string, firstNewSeq = 4, endSeq = 6, userId = "ann") => ({
  userId,
  windowId: `w-${state}`,
  state,
  firstNewSeq,
  endSeq,
});

const cursor = (completedSeq: number, attempts = 0, retryAtMs = 0) =>
  new Map([["ann", { completedSeq, hasWindow: false, attempts, retryAtMs }]]);

const lesson = {
  userId: "ann",
  interactionId: 5,
  userPlaybookId: 1,
  trigger: null,
  content: "x",
  status: null,
  successorId: null,
};

describe("the state of a turn", () => {
  it.each<[string, Partial<TurnLearning>, Partial<typeof turn>, string]>([
    ["waits before its window is opened", {}, {}, "waiting"],
    ["waits where the cursor stands before it", { cursors: cursor(4) }, {}, "waiting"],
    ["is done once the cursor has passed it", { cursors: cursor(5) }, {}, "nothing"],
    ["is done once its window is applied", { windows: [window("applied")] }, {}, "nothing"],
    ["is learned once a rule cites it", { windows: [window("applied")], lessons: [lesson] }, {}, "learned"],
    ["is not learned by a rule of another user", { lessons: [{ ...lesson, userId: "bea" }] }, {}, "waiting"],
    [
      "is not learned by a rule of another turn",
      { lessons: [{ ...lesson, interactionId: 4 }] },
      {},
      "waiting",
    ],
    ["is under way in an open window", { windows: [window("open")] }, {}, "under_way"],
    ["is under way in a computed window", { windows: [window("computed")] }, {}, "under_way"],
    [
      "is under way again when its window is replayed",
      { windows: [window("open")], cursors: cursor(9) },
      {},
      "under_way",
    ],
    [
      "does not belong to the window of another user",
      { windows: [window("dead", 4, 6, "bea")] },
      {},
      "waiting",
    ],
    [
      "does not belong to a window that it is only context of",
      { windows: [window("dead", 6, 9)] },
      {},
      "waiting",
    ],
    [
      "is tried again where the window failed",
      { windows: [window("open")], cursors: cursor(3, 2, 2_000) },
      {},
      "retrying",
    ],
    ["is tried again where no window could be opened", { cursors: cursor(3, 1, 2_000) }, {}, "retrying"],
    ["waits where the next attempt is due", { cursors: cursor(3, 1, 500) }, {}, "waiting"],
    ["is given up with its window", { windows: [window("dead")], cursors: cursor(9) }, {}, "given_up"],
    ["is left out where admission said so", { cursors: cursor(9) }, { isEligible: false }, "not_learnable"],
    [
      "is revoked whatever came of it",
      { revoked: new Set([5]), windows: [window("dead")], lessons: [lesson] },
      {},
      "revoked",
    ],
  ])("%s", (_, facts, over, state) => {
    expect(turnStateOf({ ...turn, ...over }, learning(facts)).state).toBe(state);
  });

  it("names the window that was given up, and no other", () => {
    const dead = learning({ windows: [window("applied", 1, 3), window("dead")] });
    expect(turnStateOf(turn, dead).windowId).toBe("w-dead");
    expect(turnStateOf({ ...turn, interactionId: 2 }, dead).windowId).toBeNull();
  });

  it("has words for every state", () => {
    for (const state of turnStates) expect(stateText[state].label).not.toBe("");
  });
});

describe("the state of a session", () => {
  const facts: CoverageFacts = {
    eligible: true,
    lastSeq: 5,
    windowStates: new Set(),
    cursor: { completedSeq: 5, hasWindow: false, attempts: 0, retryAtMs: 0 },
    nowMs: 1_000,
  };

  it.each<[string, CoverageFacts | null, number, string]>([
    ["has nothing learnable", null, 0, "not_learnable"],
    ["is learned from", facts, 2, "learned"],
    ["was read in vain", facts, 0, "nothing"],
    ["belongs to a revoked user", { ...facts, eligible: false }, 2, "revoked"],
    ["has lost its turns", { ...facts, lastSeq: null }, 0, "nothing"],
    ["was given up", { ...facts, windowStates: new Set(["dead"]) }, 2, "given_up"],
    ["is being read", { ...facts, windowStates: new Set(["open"]) }, 0, "under_way"],
    ["waits", { ...facts, cursor: null }, 0, "waiting"],
    [
      "is tried again",
      { ...facts, cursor: { completedSeq: 1, hasWindow: true, attempts: 3, retryAtMs: 2_000 } },
      0,
      "retrying",
    ],
  ])("%s", (_, given, lessons, state) => {
    expect(sessionStateOf(given, lessons)).toBe(state);
  });
});
