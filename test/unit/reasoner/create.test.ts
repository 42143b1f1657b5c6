import { describe, expect, it } from "vitest";
import { createReasoner } from "../../../src/platform/reasoner";
import { inputs } from "./fixtures";

const deps = { egress: () => Promise.reject(new Error("no network here")), nonce: () => "tagfortests0001" };

describe("choosing a reasoner", () => {
  it("refuses incomplete settings of a model when it is made, naming what is missing", () => {
    expect(() => createReasoner({ adapter: "llm", llm: { provider: "openai", model: "m" } }, deps)).toThrow(
      /apiKey/,
    );
    expect(() =>
      createReasoner({ adapter: "llm", llm: { provider: "openai-compatible", model: "m" } }, deps),
    ).toThrow(/baseUrl/);
  });

  it("needs no model, key or network offline", async () => {
    const answer = await createReasoner({ adapter: "offline" }, deps).run("reformulate", inputs.reformulate);
    expect(answer.provider).toBe("offline");
  });

  it("gives up offline too when the caller does", async () => {
    const run = createReasoner({ adapter: "offline" }, deps).run(
      "extract",
      inputs.extract,
      AbortSignal.abort(),
    );
    await expect(run).rejects.toMatchObject({ name: "ReasonerError", fault: "transient", code: "aborted" });
  });
});
