/** How much of everything a prompt may hold. All sizes are in UTF-16 code units of text. */

/** Of one window. Content and tools each have a budget that the turns share. */
export const chronologyLimits = {
  turns: 100,
  contentPerTurnChars: 12_000,
  contentTotalChars: 60_000,
  toolsPerTurnChars: 2_000,
  toolsTotalChars: 15_000,
  roleChars: 40,
  sourceChars: 60,
  actionChars: 40,
  actionDescriptionChars: 200,
} as const;

/** Of a window with experts' answers: each pair is a question, an answer and an expert's answer. */
export const expertLimits = { pairs: 40, textPerTurnChars: 12_000, textTotalChars: 75_000 } as const;

export const guidanceLimits = {
  agentContextChars: 4_000,
  definitionChars: 4_000,
  tools: 60,
  toolNameChars: 80,
  toolDescriptionChars: 240,
  toolsTotalChars: 8_000,
} as const;

/** Of one labelled rule; the three totals bound a list of rules as a whole. */
export const ruleLimits = {
  labelChars: 40,
  triggerChars: 600,
  contentChars: 2_400,
  rationaleChars: 600,
  spanChars: 1_500,
  sourceChars: 60,
  evidenceUnitChars: 1_200,
  evidenceUnitsPerCandidate: 12,
  /** A stored rule may rest on more: it takes in what it was merged with. */
  evidenceUnitsPerStoredRule: 40,
  candidates: 40,
  freshRows: 40,
  /** Stored rules shown beside new ones; the pipeline brings the most alike first. */
  existingRows: 20,
  listTotalChars: 60_000,
} as const;

export const tagLimits = { definitionChars: 8_000, rules: 20, listTotalChars: 40_000 } as const;

export const synthesisLimits = {
  sources: 100,
  existingRules: 20,
  existingRuleChars: 600,
  sourcesTotalChars: 60_000,
} as const;

export const reformulationLimits = {
  historyTurns: 10,
  historyChars: 4_000,
  queryChars: 4_000,
} as const;

export const repairLimits = { previousAnswerChars: 20_000, problems: 20, problemChars: 300 } as const;

/**
 * The stated bound of each task's prompt: system and user message together, at the longest tag, without a repair.
 * About four characters make a token.
 */
export const promptBoundChars = {
  shouldExtract: 150_000,
  extract: 150_000,
  shouldExtractExpert: 150_000,
  extractExpert: 150_000,
  reviewCandidates: 280_000,
  reviewStored: 280_000,
  consolidate: 150_000,
  synthesise: 120_000,
  tag: 70_000,
  reformulate: 20_000,
} as const;

/** The bound of what a repair adds: the previous answer and the list of its problems. */
export const repairBoundChars = 30_000;
