/** Inputs of every task, newly written, small enough to read in a failing test. */
import type {
  ChronologyTurn,
  ExpertPair,
  Guidance,
  TaskInput,
  TaskName,
} from "../../../src/platform/reasoner/port";

export const guidance: Guidance = {
  agentContext: "An assistant of a plant nursery that answers orders and care questions.",
  extractionDefinition: "Rules about how orders are packed and how care advice is given.",
  tools: [{ tool_name: "stock_level", tool_description: "Counts plants of a kind in the greenhouse." }],
};

export function turn(
  label: string,
  role: string,
  content: string,
  rest: Partial<ChronologyTurn> = {},
): ChronologyTurn {
  return {
    label,
    role,
    content,
    isUserVoice: role.toLowerCase() === "user",
    source: "shop-chat",
    sessionId: "session-a",
    createdAtSec: 1_760_000_000,
    toolsUsed: [],
    userAction: "none",
    userActionDescription: "",
    ...rest,
  };
}

export const turns: ChronologyTurn[] = [
  turn("T1", "User", "Please send the six ferns on Friday."),
  turn("T2", "Assistant", "Done: six ferns leave on Friday by the cheapest carrier.", {
    toolsUsed: [{ tool_name: "stock_level", tool_data: { kind: "fern" }, status: "ok" }],
  }),
  turn(
    "T3",
    "User",
    "No, ferns never travel over a weekend. From now on ship living plants Monday to Wednesday only.",
  ),
];

const rule = {
  trigger: "A customer asks to ship living plants and a day has to be chosen.",
  content: "Ship living plants Monday to Wednesday only; never let them travel over a weekend.",
  rationale: "The customer refused a Friday shipment because plants suffer over a weekend.",
};

const row = {
  ...rule,
  span: "ferns never travel over a weekend",
  evidenceGroup: "G1",
  source: "shop-chat",
  dateToMinute: "2026-03-04 10:22",
};

/** An expert's answer to a question that the agent answered otherwise. */
export const pairs: ExpertPair[] = [
  {
    question: turn("T1", "User", "How do I revive a fern that has dried out?"),
    answer: turn("T2", "Assistant", "Water the fern a little every day."),
    expert: turn(
      "T3",
      "Expert",
      "Stand the pot in a bucket of water for an hour. Never fertilise a dry fern.",
    ),
  },
];

export const inputs: { [T in TaskName]: TaskInput<T> } = {
  shouldExtract: { turns, guidance },
  extract: { turns, guidance },
  shouldExtractExpert: { pairs, guidance },
  extractExpert: { pairs, guidance },
  reviewCandidates: {
    turns,
    guidance,
    candidates: [
      {
        label: "C1",
        ...rule,
        evidenceKind: "correction",
        evidence: [{ unit: "C1-E1", turn: "T3", text: "No, ferns never travel over a weekend." }],
      },
    ],
    existing: [{ label: "R1", ...rule, content: "Wrap fern roots in damp paper." }],
  },
  reviewStored: {
    turns,
    guidance,
    rule: {
      label: "C1",
      ...rule,
      evidenceKind: "correction",
      evidence: [{ unit: "C1-E1", turn: "T3", text: "No, ferns never travel over a weekend." }],
    },
    existing: [{ label: "EXISTING-1", ...rule, content: "Wrap fern roots in damp paper." }],
  },
  consolidate: {
    fresh: [
      { label: "NEW-1", ...row },
      { label: "NEW-2", ...row, content: "Add a heat pack below five degrees." },
    ],
    existing: [
      { label: "EXISTING-1", ...row, content: "Ship living plants early in the week." },
      { label: "EXISTING-2", ...row, content: "Wrap fern roots in damp paper." },
    ],
  },
  synthesise: {
    mode: "new",
    sources: [
      { label: "S1", ...rule, userLabel: "U1" },
      { label: "S2", ...rule, userLabel: "U2" },
    ],
    groups: [["S1", "S2"]],
    current: null,
    existingRules: ["Wrap fern roots in damp paper."],
    guidance,
  },
  tag: {
    definition: "shipping: when and how parcels travel. care: advice on plants.",
    rules: [
      { label: "R1", ...rule },
      { label: "R2", ...rule, content: "Wrap fern roots in damp paper." },
    ],
  },
  reformulate: {
    query: "and what about those on a friday?",
    history: [{ role: "user", content: "How are ferns shipped?" }],
  },
};

/** A good answer to every task, as a model would write it. */
export const goodAnswers: Record<TaskName, string> = {
  shouldExtract: "true",
  extract: JSON.stringify({ playbooks: [{ ...rule, evidence_kind: "correction", evidence_refs: ["T3"] }] }),
  shouldExtractExpert: "true",
  extractExpert: JSON.stringify({
    playbooks: [
      {
        rationale: "The agent's answer would not have wetted the root ball.",
        evidence_kind: "expert-gap",
        trigger: "Asked how to revive a fern that has dried out.",
        content:
          "Advise standing the pot in a bucket of water for an hour, and no fertiliser while it is dry.",
        evidence: [{ turn_ref: "T3", source_span: "Stand the pot in a bucket of water for an hour." }],
      },
    ],
  }),
  reviewCandidates: JSON.stringify({
    decisions: [
      {
        candidate_id: "C1",
        reason: "The customer said so.",
        decision: "accept",
        reason_code: "grounded_useful",
        evidence_ids: ["C1-E1"],
        revision: null,
      },
    ],
  }),
  reviewStored: JSON.stringify({
    reason: "The customer said so.",
    decision: "accept",
    reason_code: "grounded_useful",
    evidence_ids: ["C1-E1"],
    revision: null,
  }),
  consolidate: JSON.stringify({
    decisions: [
      { kind: "unify", new_ids: ["NEW-1"], archive_existing_ids: ["EXISTING-1"], ...rule },
      { kind: "independent", new_ids: ["NEW-2"] },
    ],
  }),
  synthesise: JSON.stringify({ playbook: rule }),
  tag: JSON.stringify({
    assignments: [
      { label: "R1", tags: ["shipping"] },
      { label: "R2", tags: [] },
    ],
  }),
  reformulate: "shipping ferns on a Friday",
};
