/** Vectors of the tests: built as values, read and run as if they stood in files. */
import { runCorpus } from "../../../../../src/documents/conformance/corpus";
import type { VectorResult } from "../../../../../src/documents/conformance/run-vector";

/** The format's own vector, which passes. */
export const APPROVAL_EXPIRY = {
  vector: "approval-expiry-again",
  level: 2,
  group: "runtime",
  describes: "A gate with no decision ends the run as cancelled; never as approved.",
  document: { base: "approval-expiry" },
  start: {
    at: "2026-01-01T00:00:00Z",
    trigger: {
      kind: "webhook",
      source: "payments",
      event: "charge.failed",
      payload: { customer: { email: "ada@example.com" }, amount: 4200 },
    },
  },
  harness: {
    agents: {
      draft: [
        {
          output: { subject: "Sorry" },
          artifacts: [{ type: "email_draft", body: "…" }],
          costMicroCents: 0,
          elapsedMs: 1200,
        },
      ],
    },
    tools: {},
  },
  script: [
    { advanceTo: "+6d23h59m59s" },
    { expectState: { status: "awaiting_approval", gate: "gate" } },
    { advanceTo: "+7d1200ms" },
  ],
  expect: {
    status: "cancelled",
    reasonCode: "approval_expired",
    terminatorId: null,
    spentMicroCents: 0,
    trace: [
      "run.created",
      "run.started",
      "step.entered:draft",
      "artifact.created:email_draft",
      "step.succeeded:draft",
      "edge.taken:draft>gate",
      "step.entered:gate",
      "gate.opened:gate",
      "gate.expired:gate",
      "run.cancelled",
    ],
    never: ["step.entered:done", "gate.decided:gate", "guardrail.tripped"],
    activeMs: 1200,
  },
};

/** The same with other keys; `expect` is changed key by key. */
export const expiryWith = (changes: object, expect: object = {}): object => ({
  ...APPROVAL_EXPIRY,
  ...changes,
  expect: { ...APPROVAL_EXPIRY.expect, ...expect },
});

/** Runs vectors, or texts that stand in place of one. */
export function runVectors(
  vectors: readonly (object | string)[],
  files: Readonly<Record<string, string>> = {},
): VectorResult[] {
  const texts = vectors.map((vector) => (typeof vector === "string" ? vector : JSON.stringify(vector)));
  return runCorpus(
    texts.map((text, index) => ({ file: `folder/${index}.vector.json`, folder: "folder", text })),
    { readFile: (_, path) => files[path] ?? null },
  );
}

/** What does not hold in one vector, as `way: message`. */
export const failuresOf = (vector: object | string, files: Readonly<Record<string, string>> = {}): string[] =>
  runVectors([vector], files).flatMap(({ failures }) =>
    failures.map(({ way, message }) => `${way}: ${message}`),
  );
