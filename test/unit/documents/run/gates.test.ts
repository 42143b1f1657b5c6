import { describe, expect, it } from "vitest";
import {
  agentStep,
  asItem,
  DAY_MS,
  Driver,
  documentOf,
  done,
  fill,
  gateStep,
  HOUR_MS,
  mapStep,
  OPERATOR,
  payload,
  type Settings,
  toolStep,
} from "./driver";

const DRAFT = { output: { subject: "Sorry" }, artifacts: [{ type: "email_draft", body: "Dear Ada" }] };

/** The user's example: a draft that took 1.2 s, held at a gate. */
function held(gate: Parameters<typeof gateStep>[1] = {}, settings: Settings = {}): Driver {
  const driver = new Driver(
    documentOf(
      [
        agentStep("draft", { next: "gate" }),
        gateStep("gate", gate),
        done,
        { id: "other", kind: "terminator", reason: "The other way." },
      ],
      { guardrails: { maxLlmCostCents: 0 } },
    ),
    settings,
  ).start();
  driver.sleep(1200).agent("draft", DRAFT);
  return driver;
}

const gateOf = (driver: Driver, name = "gate") => {
  const { gateId } = driver.last("openGate", ({ gate }) => gate === name);
  const gate = driver.state.gates[gateId];
  if (!gate) throw new Error("no such gate");
  return gate;
};

describe("a gate without a decision", () => {
  it("expires at its deadline and ends the run, as the user's vector says", () => {
    const driver = held();
    driver.advance(7 * DAY_MS - 1);
    expect(driver.state.status).toBe("awaiting_approval");
    driver.advance(1);
    expect(driver.trace.filter((line) => !/llm|reminded/.test(line))).toEqual([
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
    ]);
    expect(driver.outcome).toEqual({
      status: "cancelled",
      reasonCode: "approval_expired",
      reason: 'Nobody decided at "gate" in time.',
      stepId: "gate",
      output: null,
    });
    expect(driver.reducer.view(driver.state, driver.nowMs).activeMs).toBe(1200);
  });

  it("fails the run when its timeout says so", () => {
    const driver = held({ onTimeout: "fail" }).advance(7 * DAY_MS);
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "approval_expired" });
  });

  it("reminds at half and at nine tenths of its window, once each", () => {
    const driver = held({ timeout: "10h" }).advance(5 * HOUR_MS - 1);
    expect(driver.all("remindGate")).toHaveLength(0);
    driver.advance(1);
    expect(driver.all("remindGate").map(({ share }) => share)).toEqual([50]);
    driver.advance(4 * HOUR_MS);
    expect(driver.all("remindGate").map(({ share }) => share)).toEqual([50, 90]);
    expect(driver.trace.filter((line) => line === "gate.reminded:gate")).toHaveLength(2);
  });
});

describe("a decision", () => {
  it("approves one millisecond before the deadline", () => {
    const driver = held().advance(7 * DAY_MS - 1);
    expect(driver.decide("gate", "approve")).toEqual({ status: 200 });
    expect(driver.trace.slice(-5)).toEqual([
      "gate.decided:gate",
      "step.succeeded:gate",
      "edge.taken:gate>done",
      "step.entered:done",
      "run.completed",
    ]);
    expect(driver.outcome).toMatchObject({
      status: "completed",
      terminatorId: "done",
      reason: "It is done.",
    });
  });

  it("stamped at the deadline is too late, even when the timer has not come, and changes nothing", () => {
    const driver = held().sleep(7 * DAY_MS);
    const before = JSON.stringify(driver.state);
    expect(driver.decide("gate", "approve")).toEqual({ status: 410, code: "gate_expired" });
    expect(JSON.stringify(driver.state)).toBe(before);
    expect(driver.trace.at(-1)).toBe("late_decision:gate");
    driver.advance(0);
    expect(driver.outcome).toMatchObject({ status: "cancelled", reasonCode: "approval_expired" });
  });

  it("after the expiry is 410 and leaves the state as it is, byte for byte", () => {
    const driver = held().advance(8 * DAY_MS);
    const before = JSON.stringify(driver.state);
    expect(driver.decide("gate", "approve")).toEqual({ status: 410, code: "gate_expired" });
    expect(JSON.stringify(driver.state)).toBe(before);
    expect(driver.trace.at(-1)).toBe("late_decision:gate");
  });

  it("made twice under one key by one person counts once and is 200 twice", () => {
    const driver = held();
    expect(driver.decide("gate", "approve", { key: "k" })).toEqual({ status: 200 });
    expect(driver.decide("gate", "approve", { key: "k" })).toEqual({ status: 200 });
    expect(driver.trace.filter((line) => line === "gate.decided:gate")).toHaveLength(1);
    expect(driver.trace.filter((line) => line.startsWith("late"))).toEqual([]);
  });

  it("is refused when another was first: same key of another person, same person's other mind", () => {
    const driver = held();
    driver.decide("gate", "approve", { key: "k" });
    const before = JSON.stringify(driver.state);
    const other = { id: "op-2", roles: ["operator"] };
    for (const more of [{ key: "k", by: other }, { key: "k2" }])
      expect(driver.decide("gate", "approve", more)).toEqual({ status: 409, code: "gate_already_decided" });
    expect(driver.decide("gate", "reject", { key: "k" })).toEqual({
      status: 409,
      code: "gate_already_decided",
    });
    expect(JSON.stringify(driver.state)).toBe(before);
  });

  it("names an instance: an id that no gate has is 409 and leaves nothing behind", () => {
    const driver = held();
    for (const gateId of ["nope", "constructor", "__proto__"]) {
      const applied = driver.send({
        type: "gate.decide",
        gateId,
        decision: "approve",
        by: OPERATOR,
        key: "k",
      });
      expect(applied).toMatchObject({
        reply: { status: 409, code: "gate_not_open" },
        records: [],
        effects: [],
      });
    }
  });

  it("of nobody, of a stranger and of whoever started the run is refused while the gate stays open", () => {
    const driver = held({}, { start: { startedBy: { id: "op-9", roles: ["operator"] } } });
    const before = JSON.stringify(driver.state);
    expect(driver.decide("gate", "approve", { by: null })).toMatchObject({ status: 401 });
    expect(driver.decide("gate", "approve", { by: { id: "a", roles: ["viewer"] } })).toEqual({
      status: 403,
      code: "not_an_approver",
    });
    expect(driver.decide("gate", "approve", { by: { id: "op-9", roles: ["operator"] } })).toEqual({
      status: 403,
      code: "self_approval",
    });
    expect(JSON.stringify(driver.state)).toBe(before);
    expect(driver.decide("gate", "approve", { by: { id: "b", roles: ["approver"] } })).toEqual({
      status: 200,
    });
  });

  it("of whoever started the run counts where the gate allows it", () => {
    const driver = held({ allowSelfApproval: true }, { start: { startedBy: OPERATOR } });
    expect(driver.decide("gate", "approve")).toEqual({ status: 200 });
  });

  it("on another subject than the one frozen is 409", () => {
    const driver = held();
    expect(driver.decide("gate", "approve", { subjectHash: "0".repeat(64) })).toEqual({
      status: 409,
      code: "subject_changed",
    });
    expect(driver.decide("gate", "approve", { subjectHash: gateOf(driver).subjectHash })).toEqual({
      status: 200,
    });
  });

  it("needs a comment where the gate wants one, and blanks are none", () => {
    const driver = held({ requireComment: true });
    for (const more of [{}, { comment: "  \n" }])
      expect(driver.decide("gate", "approve", more)).toEqual({ status: 422, code: "comment_required" });
    expect(driver.decide("gate", "approve", { comment: "Good." })).toEqual({ status: 200 });
    expect(driver.state.cells.gate?.output).toEqual({ decision: "approve", by: "op-1", comment: "Good." });
  });

  it("of another kind than the gate's is 422", () => {
    const driver = held();
    for (const decision of ["retry", "skip", "stop"] as const)
      expect(driver.decide("gate", decision)).toEqual({ status: 422, code: "decision_not_possible" });
  });

  it("rejects: the run is cancelled, or takes the edge for it", () => {
    const ended = held();
    ended.decide("gate", "reject", { comment: "No." });
    expect(ended.outcome).toMatchObject({
      status: "cancelled",
      reasonCode: "approval_rejected",
      stepId: "gate",
    });
    expect(ended.trace.slice(-2)).toEqual(["gate.decided:gate", "run.cancelled"]);
    const led = held({ onReject: "other" });
    led.decide("gate", "reject");
    expect(led.trace).toContain("edge.taken:gate>other");
    expect(led.outcome).toMatchObject({ status: "completed", terminatorId: "other" });
  });

  it("disarms the timers: none is armed and a stray one does nothing", () => {
    const steps = [gateStep("gate", { next: "act" }), toolStep("act"), done];
    const driver = new Driver(documentOf(steps)).start();
    driver.advance(HOUR_MS).decide("gate", "approve");
    const { gateId } = driver.last("openGate");
    expect(Object.keys(driver.state.timers)).toEqual(["active"]);
    driver.sleep(8 * DAY_MS);
    const before = JSON.stringify(driver.state);
    for (const key of [`gate:${gateId}`, `remind:50:${gateId}`, "nonsense", "toString"])
      expect(driver.send({ type: "timer", key })).toMatchObject({ effects: [], records: [] });
    expect(JSON.stringify(driver.state)).toBe(before);
  });

  it("is not made by a timer that comes before its time", () => {
    const driver = held();
    const { gateId } = driver.last("openGate");
    driver.sleep(7 * DAY_MS - 1);
    expect(driver.send({ type: "timer", key: `gate:${gateId}` })).toMatchObject({ records: [] });
    expect(driver.state.status).toBe("awaiting_approval");
  });
});

describe("several approvers", () => {
  const approver = { roles: ["finance"], users: ["ceo"], count: 2 };
  const finance = (id: string) => ({ id, roles: ["finance"] });

  it("must be as many distinct people as the gate says", () => {
    const driver = held({ approver });
    expect(driver.decide("gate", "approve", { by: finance("f1"), key: "k" })).toEqual({ status: 200 });
    expect(driver.decide("gate", "approve", { by: finance("f1"), key: "k" })).toEqual({ status: 200 });
    expect(driver.decide("gate", "approve", { by: finance("f1"), key: "other" })).toEqual({
      status: 409,
      code: "gate_already_decided",
    });
    expect(driver.state.status).toBe("awaiting_approval");
    expect(driver.trace).not.toContain("gate.decided:gate");
    expect(driver.decide("gate", "approve", { by: { id: "ceo", roles: [] } })).toEqual({ status: 200 });
    expect(driver.outcome).toMatchObject({ status: "completed" });
    expect(driver.records.find(({ type }) => type === "gate.decided")?.data).toMatchObject({
      votes: [{ by: "f1" }, { by: "ceo" }],
    });
  });

  it("reject with one voice, even of someone who had approved", () => {
    const driver = held({ approver });
    driver.decide("gate", "approve", { by: finance("f1") });
    expect(driver.decide("gate", "reject", { by: finance("f1") })).toEqual({ status: 200 });
    expect(driver.outcome).toMatchObject({ reasonCode: "approval_rejected" });
  });

  it("are those the object names and nobody else, whatever other role they have", () => {
    const driver = held({ approver });
    for (const roles of [["approver"], ["operator"]])
      expect(driver.decide("gate", "approve", { by: { id: "x", roles } })).toMatchObject({ status: 403 });
  });

  it("without names are those with the role of approvers", () => {
    const driver = held({ approver: { count: 1 } });
    expect(driver.decide("gate", "approve")).toMatchObject({ status: 403 });
    expect(driver.decide("gate", "approve", { by: { id: "x", roles: ["approver"] } })).toEqual({
      status: 200,
    });
  });
});

describe("the subject", () => {
  it("is what ran since the last gate, frozen with its hash", () => {
    const driver = held();
    expect(gateOf(driver).subject).toEqual({
      steps: {
        draft: {
          output: { subject: "Sorry" },
          artifacts: [
            { type: "email_draft", body: "Dear Ada", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
          ],
        },
      },
    });
    const { subjectHash } = gateOf(driver);
    driver.send({ type: "artifact.changed", stepKey: "draft", index: 0, body: "Dear Mallory" });
    expect(gateOf(driver).subjectHash).toBe(subjectHash);
    expect(driver.state.cells.draft?.artifacts[0]?.body).toBe("Dear Ada");
  });

  it("is what the store holds when the gate opens: later changes are not read after the approval", () => {
    const steps = [
      agentStep("draft", { next: "hold" }),
      toolStep("hold", { next: "gate" }),
      gateStep("gate", { next: "send" }),
      toolStep("send", { input: { body: fill("steps.draft.artifacts[0].body") } }),
      done,
    ];
    const driver = new Driver(documentOf(steps)).start();
    driver.agent("draft", DRAFT);
    driver.send({ type: "artifact.changed", stepKey: "draft", index: 0, body: "Edited" });
    driver.tool("hold");
    driver.send({ type: "artifact.changed", stepKey: "draft", index: 0, body: "Swapped while open" });
    driver.decide("gate", "approve");
    driver.send({ type: "artifact.changed", stepKey: "draft", index: 0, body: "Swapped after" });
    expect(driver.last("callTool").input).toEqual({ body: "Edited" });
  });

  it("is what the step's own expression yields", () => {
    const driver = held({ subject: "steps.draft.output.subject" });
    expect(gateOf(driver).subject).toEqual({ value: "Sorry" });
  });

  it("that cannot be evaluated fails the run: nobody approves what cannot be shown", () => {
    const driver = held({ subject: "steps.draft.output.nope" });
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "expression_error" });
    expect(driver.all("openGate")).toEqual([]);
  });

  it("of a second gate leaves out what the first has shown", () => {
    const steps = [
      agentStep("draft", { next: "one" }),
      gateStep("one", { next: "more" }),
      toolStep("more", { next: "two" }),
      gateStep("two"),
      done,
    ];
    const driver = new Driver(documentOf(steps)).start();
    driver.agent("draft", DRAFT);
    driver.decide("one", "approve");
    driver.tool("more", { output: 7 });
    // The step `one` itself has ended since.
    expect(Object.keys(Object(gateOf(driver, "two").subject).steps)).toEqual(["one", "more"]);
  });

  it("of an element in a map shows the element and no other one", () => {
    const map = mapStep("each", {
      itemStep: asItem(gateStep("review")),
      concurrency: 1,
    });
    const driver = new Driver(documentOf([map, done]), payload({ items: ["a", "b"] })).start();
    driver.decide("review[0]", "approve");
    expect(gateOf(driver, "review[1]").subject).toEqual({ steps: {}, item: "b", index: 1 });
  });
});

describe("gates one after the other", () => {
  it("do not eat each other's decisions", () => {
    const driver = new Driver(documentOf([gateStep("one", { next: "two" }), gateStep("two"), done])).start();
    const first = driver.last("openGate").gateId;
    driver.decide("one", "approve");
    const again = driver.send({
      type: "gate.decide",
      gateId: first,
      decision: "approve",
      by: OPERATOR,
      key: "second click",
    });
    expect(again.reply).toEqual({ status: 409, code: "gate_already_decided" });
    expect(driver.state.status).toBe("awaiting_approval");
  });

  it("are cancelled with the run, and then decide nothing", () => {
    const driver = held();
    driver.send({ type: "cancel", by: OPERATOR });
    expect(driver.trace.slice(-2)).toEqual(["gate.cancelled:gate", "run.cancelled"]);
    expect(driver.decide("gate", "approve")).toEqual({ status: 409, code: "gate_not_open" });
    expect(driver.trace.at(-1)).toBe("late_decision:gate");
    expect(driver.outcome).toMatchObject({ status: "cancelled", reasonCode: "operator_cancelled" });
  });
});
