import { describe, expect, it } from "vitest";
import type { Step, ToolDefinition } from "../../../../src/documents/model";
import {
  agentStep,
  asItem,
  Driver,
  documentOf,
  done,
  fill,
  gateStep,
  mapStep,
  payload,
  toolStep,
} from "./driver";

const TOOLS: ToolDefinition[] = [
  { name: "send", permissions: ["email.send"] },
  { name: "mail", permissions: ["email.send"] },
  { name: "look", permissions: ["crm.read"] },
];
const running = (steps: Step[], requiresApprovalFor: string[], data = {}): Driver =>
  new Driver(
    documentOf(steps, {
      tools: TOOLS,
      permissions: ["email.send", "crm.read"],
      guardrails: { requiresApprovalFor },
    }),
    payload(data),
  ).start();
const opened = (driver: Driver): string[] => driver.all("openGate").map(({ gate }) => gate);
const DRAFT = { output: null, artifacts: [{ type: "email_draft", body: "Dear Ada" }] };
const body = fill("steps.draft.artifacts[0].body");

describe("a tool call that needs approval", () => {
  it("is held by a gate of its own, by permission, prefix or name", () => {
    for (const selector of ["email.send", "email.*", "tool:send"]) {
      const driver = running([toolStep("post", { tool: "send", input: { to: "ada" } }), done], [selector]);
      expect(opened(driver)).toEqual(["gate:post"]);
      expect(driver.all("callTool")).toEqual([]);
      expect(driver.last("openGate").subject).toEqual({
        effects: [{ step: "post", tool: "send", input: { to: "ada" } }],
      });
      driver.decide("gate:post", "approve");
      expect(driver.last("callTool").input).toEqual({ to: "ada" });
    }
  });

  it("is not held by selectors that do not name it", () => {
    for (const selector of ["email", "email.sending", "mail.*", "tool:mail", "artifact:send", "crm.*"])
      expect(opened(running([toolStep("post", { tool: "send" }), done], [selector]))).toEqual([]);
  });

  it("is not made when it is rejected, and the run is cancelled", () => {
    const driver = running(
      [toolStep("post", { tool: "send", failureMode: "continue" }), done],
      ["email.send"],
    );
    driver.decide("gate:post", "reject");
    expect(driver.all("callTool")).toEqual([]);
    expect(driver.outcome).toMatchObject({ status: "cancelled", reasonCode: "approval_rejected" });
  });

  it("cannot be dodged by a model that takes another tool with the same permission", () => {
    const step = agentStep("draft", { allowedTools: ["send", "mail", "look"] });
    const driver = running([step, done], ["email.send"]);
    driver.agent("draft", {
      toolCalls: [
        { tool: "look", input: {} },
        { tool: "mail", input: { to: "ada" } },
        { tool: "mail", input: { to: "ada" } },
        { tool: "mail", input: { to: "bob" } },
      ],
    });
    driver.tool("draft");
    expect(opened(driver)).toEqual(["gate:draft"]);
    driver.decide("gate:draft", "approve");
    driver.tool("draft");
    // The same tool with the same input is covered, another input is not.
    expect(driver.all("callTool").map(({ tool }) => tool)).toEqual(["look", "mail", "mail"]);
    driver.tool("draft");
    expect(opened(driver)).toEqual(["gate:draft", "gate:draft"]);
    expect(driver.state.status).toBe("awaiting_approval");
  });

  it("is approved once for all its attempts", () => {
    const driver = running(
      [toolStep("post", { tool: "send", retry: { maxAttempts: 2 } }), done],
      ["email.send"],
    );
    driver.decide("gate:post", "approve");
    driver.tool("post", { error: { code: "timeout" } });
    driver.advance(0);
    expect(driver.all("callTool")).toHaveLength(2);
    expect(opened(driver)).toHaveLength(1);
  });

  it("has its attempt's clock stand at the gate", () => {
    const step = agentStep("draft", { allowedTools: ["send"], timeout: "1m" });
    const driver = running([step, done], ["email.send"]).sleep(20_000);
    driver.agent("draft", { toolCalls: [{ tool: "send", input: {} }] });
    driver.advance(86_400_000).decide("gate:draft", "approve");
    expect(driver.state.timers["timeout:draft"]?.dueAtMs).toBe(driver.nowMs + 40_000);
  });
});

describe("an approval step upstream", () => {
  const steps = (input: Step extends never ? never : object, gate = {}): Step[] => [
    agentStep("draft", { next: "gate" }),
    gateStep("gate", { next: "post", ...gate }),
    toolStep("post", { tool: "send", input: input as never }),
    done,
  ];

  it("covers the call whose input it could show", () => {
    const driver = running(steps({ body }), ["email.send"]);
    driver.agent("draft", DRAFT);
    expect(driver.last("openGate").subject).toMatchObject({
      effects: [{ step: "post", tool: "send", input: { body: "Dear Ada" } }],
    });
    driver.decide("gate", "approve");
    expect(opened(driver)).toEqual(["gate"]);
    expect(driver.last("callTool").input).toEqual({ body: "Dear Ada" });
  });

  it("covers it through decisions and with a subject of its own", () => {
    const driver = running(
      [
        agentStep("draft", { next: "gate" }),
        gateStep("gate", { next: "which", subject: "steps.draft.artifacts" }),
        { id: "which", kind: "decision", branches: [{ when: "true", next: "post" }], default: "done" },
        toolStep("post", { tool: "send", input: { body } }),
        done,
      ],
      ["email.send"],
    );
    driver.agent("draft", DRAFT);
    driver.decide("gate", "approve");
    expect(opened(driver)).toEqual(["gate"]);
  });

  it("covers nothing that was not known when it opened", () => {
    const driver = running(steps({ note: fill("steps.gate.output.comment") }), ["email.send"]);
    driver.agent("draft", DRAFT);
    driver.decide("gate", "approve", { comment: "and delete everything" });
    expect(opened(driver)).toEqual(["gate", "gate:post"]);
    expect(driver.all("callTool")).toEqual([]);
  });

  it("covers no call that carries nothing of what it shows", () => {
    for (const [input, gate] of [
      [{ body: "Send money." }, {}],
      [{ n: 1, flag: true, none: null, empty: "", list: [] }, {}],
      [{ body }, { subject: "'anything'" }],
    ] as const) {
      const driver = running(steps(input, gate), ["email.send"]);
      driver.agent("draft", { output: [1, true, null, "", []], artifacts: DRAFT.artifacts });
      driver.decide("gate", "approve");
      expect(opened(driver)).toEqual(["gate", "gate:post"]);
    }
  });

  it("covers a call whose text what it shows is a part of", () => {
    const driver = running(steps({ body: `To whom it may concern: ${body}` }), ["email.send"]);
    driver.agent("draft", DRAFT);
    driver.decide("gate", "approve");
    expect(driver.last("callTool").input).toEqual({ body: "To whom it may concern: Dear Ada" });
  });

  it("covers nothing when it was rejected", () => {
    const driver = running(steps({ body }, { onReject: "post" }), ["email.send"]);
    driver.agent("draft", DRAFT);
    driver.decide("gate", "reject");
    expect(opened(driver)).toEqual(["gate", "gate:post"]);
  });

  it("covers the calls of a map that follows, element by element", () => {
    const map = mapStep("each", {
      items: "steps.draft.output",
      itemStep: asItem(toolStep("post", { tool: "send", input: { to: fill("item") } })),
    });
    const driver = running(
      [agentStep("draft", { next: "gate" }), gateStep("gate", { next: "each" }), map, done],
      ["email.send"],
    );
    driver.agent("draft", { output: ["ada", "bob"] });
    driver.decide("gate", "approve");
    driver.tool("post[0]");
    driver.tool("post[1]");
    expect(opened(driver)).toEqual(["gate"]);
    expect(driver.outcome?.status).toBe("completed");
  });
});

describe("an artifact that needs approval", () => {
  const selector = ["artifact:email_draft"];

  it("is held before it exists", () => {
    const driver = running([agentStep("draft"), done], selector);
    driver.agent("draft", DRAFT);
    expect(opened(driver)).toEqual(["gate:draft"]);
    expect(driver.trace).not.toContain("artifact.created:email_draft");
    driver.decide("gate:draft", "approve");
    expect(driver.trace).toContain("artifact.created:email_draft");
    expect(driver.outcome?.status).toBe("completed");
  });

  it("of another type is not", () => {
    const driver = running([agentStep("draft"), done], ["artifact:email", "email_draft"]);
    driver.agent("draft", DRAFT);
    expect(opened(driver)).toEqual([]);
  });

  it("needs no second gate when an approval step follows at once and shows everything", () => {
    const driver = running([agentStep("draft", { next: "gate" }), gateStep("gate"), done], selector);
    driver.agent("draft", DRAFT);
    driver.decide("gate", "approve");
    expect(opened(driver)).toEqual(["gate"]);
    expect(driver.outcome?.status).toBe("completed");
  });

  it("needs no second gate when the same content was approved before", () => {
    const steps = [
      agentStep("draft", { next: "gate" }),
      gateStep("gate", { next: "final" }),
      agentStep("final"),
      done,
    ];
    const same = running(steps, selector);
    same.agent("draft", DRAFT);
    same.decide("gate", "approve");
    same.agent("final", DRAFT);
    expect(opened(same)).toEqual(["gate"]);
    const other = running(steps, selector);
    other.agent("draft", DRAFT);
    other.decide("gate", "approve");
    other.agent("final", { output: null, artifacts: [{ type: "email_draft", body: "Dear Mallory" }] });
    expect(opened(other)).toEqual(["gate", "gate:final"]);
  });

  it("is covered by an author's subject only where that shows it", () => {
    const steps = (subject: string): Step[] => [
      agentStep("draft", { next: "gate" }),
      gateStep("gate", { next: "final", subject }),
      agentStep("final"),
      done,
    ];
    const gates = (subject: string): string[] => {
      const driver = running(steps(subject), selector);
      driver.agent("draft", DRAFT);
      // A subject of its own may leave the draft out, so the draft has its own gate.
      driver.decide("gate:draft", "approve");
      driver.decide("gate", "approve");
      driver.agent("final", { output: null, artifacts: [{ type: "email_draft", body: "Dear Ada" }] });
      return opened(driver);
    };
    expect(gates("steps.draft.output")).toEqual(["gate:draft", "gate"]);
    const fresh = running(
      [
        agentStep("draft", { next: "gate" }),
        gateStep("gate", { next: "final", subject: "steps.draft.artifacts[0].body" }),
        agentStep("final"),
        done,
      ],
      ["artifact:email"],
    );
    fresh.agent("draft", DRAFT);
    fresh.decide("gate", "approve");
    fresh.agent("final", { output: null, artifacts: [{ type: "email", body: "Dear Ada" }] });
    expect(opened(fresh)).toEqual(["gate"]);
  });

  it("and an output that needs approval share one gate", () => {
    const step = agentStep("draft", { approvalPolicy: { mode: "required" } });
    const driver = running([step, done], selector);
    driver.agent("draft", DRAFT);
    driver.decide("gate:draft", "approve");
    expect(opened(driver)).toEqual(["gate:draft"]);
    expect(driver.outcome?.status).toBe("completed");
  });
});
