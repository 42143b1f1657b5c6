import { describe, expect, it } from "vitest";
import { backOffMs, verdictOf } from "../../../src/learning/faults";
import { EmbedderError } from "../../../src/platform/embedder/port";
import { ReasonerError } from "../../../src/platform/reasoner/port";

const NOON = Date.UTC(2030, 0, 1, 12);

describe("the delay after a failure", () => {
  it("doubles from one second and ends at five minutes", () => {
    expect([1, 2, 3, 9, 10, 50].map(backOffMs)).toEqual([1_000, 2_000, 4_000, 256_000, 300_000, 300_000]);
  });

  it("is at least what the service asks for", () => {
    const error = new ReasonerError("transient", "rate_limited", "slow down", 45_000);
    expect(verdictOf(error, 1, NOON)).toEqual({ kind: "later", delayMs: 45_000, code: "rate_limited" });
    expect(verdictOf(error, 9, NOON)).toMatchObject({ delayMs: 256_000 });
  });
});

describe("what a fault means", () => {
  it("a spent day waits for the next UTC day and is not dead", () => {
    expect(verdictOf(new ReasonerError("refused", "daily_cap", ""), 1, NOON)).toEqual({
      kind: "tomorrow",
      delayMs: 43_200_000,
      code: "daily_cap",
    });
  });

  it.each(["unusable", "refused"] as const)(
    "%s is dead, and nothing that a model said is repeated",
    (fault) => {
      const verdict = verdictOf(new ReasonerError(fault, "prompt_echo_x", "SECRET words of a user"), 1, NOON);
      expect(verdict).toMatchObject({ kind: "dead", code: "prompt_echo_x" });
      expect(JSON.stringify(verdict)).not.toContain("SECRET");
    },
  );

  it("an embedding model that is not ready comes later, one that refuses is dead", () => {
    expect(verdictOf(new EmbedderError("not_ready", ""), 1, NOON)).toMatchObject({
      kind: "later",
      code: "embedding_not_ready",
    });
    expect(verdictOf(new EmbedderError("refused", ""), 1, NOON)).toMatchObject({
      kind: "dead",
      code: "embedding_refused",
    });
  });

  it("anything else is not theirs to judge", () => {
    expect(verdictOf(new Error("D1"), 1, NOON)).toBeNull();
  });
});
