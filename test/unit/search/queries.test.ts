/** Queries that a model or a conversation gives. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import { queryOfConversation } from "../../../src/search/conversation-query";
import { acceptable, type QueryReasoner, reformulate } from "../../../src/search/reformulation";

describe("an answer to the reformulation task", () => {
  it.each([
    ["refund of a broken lamp", "refund of a broken lamp"],
    ['  "refund rules"\n\nmore', "refund rules"],
    ["\n\n«retour colis»", "retour colis"],
  ])("%j is taken as %j", (answer, query) => {
    expect(acceptable(answer)).toBe(query);
  });

  it.each([
    "",
    "???",
    '{"query": "refund"}',
    "[refund]",
    "<query>refund</query>",
    "I'm sorry, I cannot help with that",
    "I cannot rewrite this",
    "Sorry, no",
    "Here is the query: refund",
    "Sure, refund",
    "x".repeat(513),
  ])("%j is refused", (answer) => {
    expect(acceptable(answer)).toBeNull();
  });

  it("is short and has a letter or digit, whatever the model says", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (answer) => {
        const query = acceptable(answer);
        if (query === null) return;
        expect(query.length).toBeLessThanOrEqual(512);
        expect(query).toMatch(/[\p{L}\p{N}]/u);
        expect(query).not.toMatch(/[\n{}[\]<>]/);
      }),
    );
  });
});

describe("reformulating", () => {
  const asked: unknown[] = [];
  const answering = (...answers: (string | ReasonerError)[]): QueryReasoner => ({
    async run(_task, input) {
      asked.push(input);
      const answer = answers.shift() ?? new ReasonerError("refused", "none", "no answer left");
      if (answer instanceof ReasonerError) throw answer;
      return {
        output: { query: answer },
        rawText: answer,
        model: "m",
        provider: "p",
        inputTokens: 0,
        outputTokens: 0,
      };
    },
  });
  const failure = (fault: "transient" | "unusable" | "refused") =>
    new ReasonerError(fault, "code", "message");

  it("tries a passing fault once more, and no other", async () => {
    expect(await reformulate(answering(failure("transient"), "better query"), "query", [])).toBe(
      "better query",
    );
    expect(
      await reformulate(answering(failure("transient"), failure("transient"), "late"), "query", []),
    ).toBe("query");
    expect(await reformulate(answering(failure("refused"), "late"), "query", [])).toBe("query");
  });

  it("keeps the query where the answer is none", async () => {
    expect(await reformulate(answering("I cannot do that"), "query", [])).toBe("query");
  });

  it("shows the model at most ten turns and 4,000 characters of history, the last ones", async () => {
    asked.length = 0;
    const history = Array.from({ length: 30 }, (_, n) => ({
      role: "user",
      content: `${n}:`.padEnd(700, "x"),
    }));
    await reformulate(answering("q"), "query", history);
    const [input] = asked;
    const turns =
      input instanceof Object && "history" in input && Array.isArray(input.history) ? input.history : [];
    expect(turns.map(({ content }: { content: string }) => content.split(":")[0])).toEqual([
      "24",
      "25",
      "26",
      "27",
      "28",
      "29",
    ]);
    expect(turns.reduce((sum: number, { content }: { content: string }) => sum + content.length, 0)).toBe(
      4000,
    );
  });
});

describe("the query of a conversation", () => {
  it("is what the user said last, newest first", () => {
    const messages = [
      { role: "user", content: "first" },
      { role: "User", content: "second" },
      { role: "assistant", content: "answer" },
      { role: "user", content: " third " },
      { role: "user", content: " " },
    ];
    expect(queryOfConversation(messages)).toBe("third\nsecond");
  });

  it("is what anybody said where no user speaks, and empty for silence", () => {
    expect(queryOfConversation([{ role: "system", content: "be kind" }])).toBe("be kind");
    expect(queryOfConversation([{ role: "user", content: "" }])).toBe("");
  });

  it("is at most 4,000 characters", () => {
    expect(queryOfConversation([{ role: "user", content: "x".repeat(9000) }])).toHaveLength(4000);
  });
});
