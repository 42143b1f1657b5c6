import { describe, expect, it } from "vitest";
import { detailsSchema, type StreamTurn } from "../../../src/interactions/model";
import { evidenceOf, keptEvidence } from "../../../src/learning/stored-review/evidence";
import { stopCodeOf } from "../../../src/learning/stored-review/faults";
import { EmbedderError } from "../../../src/platform/embedder/port";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import type { UserPlaybook } from "../../../src/playbooks/model";

const turn = (
  interactionId: number,
  content: string,
  over: Partial<StreamTurn> = {},
  expert = "",
): StreamTurn => ({
  interactionId,
  requestId: "r",
  sessionId: "s",
  source: "",
  agentVersion: "v",
  requestCreatedAt: 1,
  createdAt: interactionId,
  role: "User",
  content,
  details: { ...detailsSchema.parse({}), expert_content: expert },
  ...over,
});

const row = (over: Partial<UserPlaybook> = {}): UserPlaybook => ({
  orgId: "o",
  userPlaybookId: 7,
  userId: "u",
  agentVersion: "v",
  requestId: "r",
  playbookName: "playbook",
  createdAt: 1,
  updatedAtMs: 1,
  trigger: "Asked about ferns",
  content: "Water ferns at dawn.",
  rationale: "They said so.",
  status: null,
  source: "",
  sourceInteractionIds: [2],
  sourceSpan: "water them at dawn",
  tags: null,
  notes: null,
  readerAngle: "correction",
  expandedTerms: null,
  mergedInto: null,
  supersededBy: null,
  retiredAt: null,
  flags: [],
  windowId: "w",
  ...over,
});

const TURNS = [turn(1, "Hello."), turn(2, "No, water them at dawn, I said."), turn(3, "Thanks.")];

describe("the evidence of a stored rule", () => {
  it("is the quoted words of the turns it cites; the others are only there to be read", () => {
    const evidence = evidenceOf(row(), TURNS);
    expect(evidence?.candidate.evidence).toEqual([
      { unit: "C1-E1", turn: "T2", interactionId: 2, text: "water them at dawn", isUserVoice: true },
    ]);
    expect(evidence?.turns.map(({ content }) => content)).toEqual(TURNS.map(({ content }) => content));
    expect(evidence?.unshownIds).toEqual([]);
  });

  it("is the whole turn where the span quotes none of it, so that a wrong quotation proves nothing", () => {
    expect(evidenceOf(row({ sourceSpan: "never said" }), TURNS)?.candidate.evidence[0]?.text).toBe(
      "No, water them at dawn, I said.",
    );
  });

  it("is what the expert said where an expert taught it", () => {
    const turns = [turn(2, "Water a little.", { role: "Assistant" }, "Stand it in a bucket.")];
    const rule = row({ readerAngle: "expert-gap", sourceSpan: "bucket of gold" });
    expect(evidenceOf(rule, turns)?.candidate.evidence).toMatchObject([
      { turn: "T2", text: "Stand it in a bucket.", isUserVoice: false },
    ]);
  });

  it.each([
    ["no span", { sourceSpan: null }],
    ["a blank span", { sourceSpan: " \n" }],
    ["no angle", { readerAngle: null }],
    ["an angle that nobody knows", { readerAngle: "hearsay" }],
    ["no turns", { sourceInteractionIds: [] }],
    ["turns that are not shown", { sourceInteractionIds: [99] }],
  ])("is none with %s", (_, over) => {
    expect(evidenceOf(row(over), TURNS)).toBeNull();
  });

  it("shows the newest forty places, and names the turns that it does not show", () => {
    const turns = Array.from({ length: 60 }, (_, at) => turn(at + 1, `turn ${at + 1} says dawn`));
    const ids = turns.map(({ interactionId }) => interactionId);
    const evidence = evidenceOf(row({ sourceInteractionIds: ids, sourceSpan: "dawn" }), turns);
    expect(evidence?.candidate.evidence).toHaveLength(40);
    expect(evidence?.unshownIds).toEqual(ids.slice(0, 20));
  });
});

describe("the evidence of an edited rule", () => {
  const two = row({ sourceInteractionIds: [2, 3], sourceSpan: "water them at dawn\n\nThanks." });
  const lesson = (ids: number[]) => ({
    trigger: "t",
    content: "c",
    rationale: "r",
    readerAngle: "correction",
    sourceInteractionIds: ids,
    sourceSpan: "kept words",
    notes: null,
    revised: true,
  });
  const shown = (unshownIds: number[]) => {
    const found = evidenceOf(two, TURNS);
    if (found === null) throw new Error("the rule is validated");
    return { ...found, ...(unshownIds.length > 0 && { unshownIds }) };
  };

  it("is what the reviewer kept, in the rule's order", () => {
    expect(keptEvidence(two, shown([]), lesson([3]))).toMatchObject({
      sourceInteractionIds: [3],
      sourceSpan: "kept words",
    });
  });

  it("keeps the span as it was where nothing was dropped", () => {
    expect(keptEvidence(two, shown([]), lesson([3, 2]))).toMatchObject({
      sourceInteractionIds: [2, 3],
      sourceSpan: two.sourceSpan,
    });
  });

  it("keeps the turns that nobody was shown, and the span with them", () => {
    expect(keptEvidence(two, shown([2]), lesson([3]))).toMatchObject({
      sourceInteractionIds: [2, 3],
      sourceSpan: two.sourceSpan,
    });
  });
});

describe("what a fault means for a review", () => {
  it.each([
    [new ReasonerError("transient", "daily_cap", "x"), "daily_cap"],
    [new ReasonerError("transient", "timeout", "x"), "model_unavailable"],
    [new ReasonerError("unusable", "review_invalid", "x"), "review_invalid"],
    [new ReasonerError("refused", "auth", "x"), "model_refused"],
    [new EmbedderError("transient", "x"), "embedding_failed"],
    [new Error("a bug"), null],
  ])("%s is %s", (error, code) => {
    expect(stopCodeOf(error)).toBe(code);
  });
});
