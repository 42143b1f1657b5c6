import { describe, expect, it } from "vitest";
import { opposedRule } from "../../../src/aggregation/opposition";

const rule = (agentPlaybookId: number, content: string, trigger: string | null = "About to show code") => ({
  agentPlaybookId,
  trigger,
  content,
});
const EXPLAIN = "First explain the idea, then show the code.";
const SKIP = { trigger: "Showing code", content: "Skip explanations and show the code." };

describe("the approved rule that a new one speaks against", () => {
  it("is one about the same situation in the opposite direction", () => {
    expect(opposedRule(SKIP, [rule(1, EXPLAIN)])?.agentPlaybookId).toBe(1);
    expect(opposedRule({ ...SKIP, content: EXPLAIN }, [rule(1, EXPLAIN)])).toBeNull();
    expect(opposedRule(SKIP, [rule(1, EXPLAIN, "Booking a train")])).toBeNull();
    expect(opposedRule(SKIP, [])).toBeNull();
  });

  it("is found where neither has a situation: then what they say is what they are about", () => {
    const opposed = opposedRule({ trigger: null, content: "Never use bullet lists in letters." }, [
      rule(1, "Use bullet lists in letters.", null),
      rule(2, "Use bullet lists in letters.", " "),
    ]);
    expect(opposed?.agentPlaybookId).toBe(2);
  });

  it("is the most similar of several, and the newest of equals", () => {
    const near = rule(1, "Give explanations first, then show the code.");
    const far = rule(
      2,
      "Explain the theory behind every algorithm, its history and its proof, before the code.",
    );
    expect(opposedRule(SKIP, [near, far])?.agentPlaybookId).toBe(1);
    expect(opposedRule(SKIP, [far, near])?.agentPlaybookId).toBe(1);
    expect(opposedRule(SKIP, [near, { ...near, agentPlaybookId: 9 }])?.agentPlaybookId).toBe(9);
  });
});
