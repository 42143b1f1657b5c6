import { describe, expect, it } from "vitest";
import { createEgress } from "../../../src/platform/egress";
import { createLlmReasoner } from "../../../src/platform/reasoner/llm";
import { inputs } from "./fixtures";

const tag = "tagfortests0001";

describe("settings", () => {
  const deps = {
    egress: createEgress({ allowLoopback: false, timeoutMs: 1_000, maxResponseBytes: 1_000 }),
    nonce: () => tag,
  };

  it.each([
    { provider: "openai-compatible", model: "m" },
    { provider: "openai", model: "m" },
    { provider: "anthropic", model: "", apiKey: "k" },
  ] as const)("refuses $provider with what is missing named", (settings) => {
    expect(() => createLlmReasoner(settings, deps)).toThrow(/baseUrl|apiKey|model/);
  });

  it("refuses workers-ai without its binding, as a configuration fault", async () => {
    const reasoner = createLlmReasoner({ provider: "workers-ai", model: "m" }, deps);
    const run = reasoner.run("shouldExtract", inputs.shouldExtract);
    await expect(run).rejects.toMatchObject({ fault: "refused", code: "not_configured" });
  });

  it("refuses an endpoint inside the network, without a request", async () => {
    const settings = {
      provider: "openai-compatible",
      model: "m",
      baseUrl: "http://169.254.169.254/v1",
    } as const;
    const run = createLlmReasoner(settings, deps).run("shouldExtract", inputs.shouldExtract);
    await expect(run).rejects.toMatchObject({ fault: "refused", code: "egress_refused" });
  });
});
