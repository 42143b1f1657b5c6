import { describe, expect, it } from "vitest";
import { auditLines, auditText, readAudit, redact, verifyAudit } from "../../../../src/documents/run";
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
  toolStep,
  waitStep,
} from "./driver";

/** A run through all kinds of steps, with retries, a repair, a denial, gates, a pause, late answers. */
function eventful(): Driver {
  const steps = [
    agentStep("draft", { next: "check", allowedTools: ["look"], outputSchema: { type: "integer" } }),
    {
      id: "check",
      kind: "decision" as const,
      branches: [{ when: "steps.draft.output > 1", next: "gate" }],
      default: "done",
    },
    gateStep("gate", { next: "post" }),
    toolStep("post", { next: "each", retry: { maxAttempts: 3, delay: "10s" }, timeout: "1m" }),
    mapStep("each", {
      next: "wait",
      concurrency: 2,
      itemStep: asItem(toolStep("work", { failureMode: "escalate", input: { n: fill("item") } })),
    }),
    waitStep("wait", { next: "done", condition: "has(signals.go)", timeout: "1d" }),
    { ...done, output: fill("steps.each.output") },
  ];
  const document = documentOf(steps, { guardrails: { requiresApprovalFor: ["tool:act"] } });
  const driver = new Driver(document, { start: { payload: { items: [1, 2, 3] } }, estimate: 5 }).start();
  driver.agent("draft", {
    toolCalls: [
      { tool: "nope", input: {} },
      { tool: "look", input: { a: 1 } },
    ],
  });
  driver.sleep(1000).tool("draft", { output: "seen" });
  driver.agent("draft", { output: "text", costMicroCents: 4 });
  driver.agent("draft", { output: 2, artifacts: [{ type: "note", body: { b: 2 } }], costMicroCents: 3 });
  driver.advance(4 * DAY_MS);
  driver.send({ type: "artifact.changed", stepKey: "draft", index: 0, body: "x" });
  driver.decide("gate", "approve", { key: "k" });
  driver.decide("gate", "approve", { key: "k" });
  driver.decide("gate:post", "approve");
  driver.advance(60_000 + 10_000);
  driver.tool("post", { error: { code: "http_429" } });
  driver.send({ type: "pause", by: OPERATOR });
  driver.advance(10_000);
  driver.send({ type: "resume", by: OPERATOR });
  driver.tool("post", { output: { ok: true } });
  for (const [index, answer] of [
    [0, { error: { code: "refused" } }],
    [1, { output: "b" }],
  ] as const) {
    driver.decide(`gate:work[${index}]`, "approve");
    driver.tool(`work[${index}]`, answer);
  }
  driver.decide("gate:work[0]", "retry");
  driver.tool("work[0]", { output: "a" });
  driver.decide("gate:work[2]", "approve");
  driver.tool("work[2]", { output: "c" });
  driver.advance(HOUR_MS).send({ type: "signal", name: "go" });
  driver.send({ type: "signal", name: "late" });
  return driver;
}

describe("a run rebuilt from its events", () => {
  it("is what it was after every one of them, and goes on as it did", () => {
    const driver = eventful();
    expect(driver.outcome).toMatchObject({ status: "completed", output: ["a", "b", "c"] });
    const { reducer, events } = driver;
    for (let count = 0; count <= events.length; count++) {
      let state = reducer.fold(events.slice(0, count));
      const records = [];
      for (const { atMs, event } of events.slice(count)) {
        const applied = reducer.apply(state, event, atMs);
        state = JSON.parse(JSON.stringify(applied.state));
        records.push(...applied.records);
      }
      expect(state).toEqual(driver.state);
      expect(records).toEqual(driver.records.slice(driver.records.length - records.length));
    }
  });

  it("has the same trace a hundred times", () => {
    const traces = Array.from({ length: 100 }, () => {
      const { reducer, events } = eventful();
      let state = reducer.initial;
      const records = events.flatMap(({ atMs, event }) => {
        const applied = reducer.apply(state, event, atMs);
        state = applied.state;
        return applied.records;
      });
      return auditLines(records).at(-1)?.hash;
    });
    expect(new Set(traces).size).toBe(1);
  });

  it("asks for what is outstanding in the order in which it was asked for first", () => {
    const step = agentStep("write", { timeout: "1m" });
    const driver = new Driver(
      documentOf([mapStep("each", { itemStep: asItem(step), concurrency: 2 }), done]),
      { start: { payload: { items: [1, 2] } } },
    ).start();
    const asked = driver.reducer.outstanding(driver.state);
    expect(asked.map((effect) => ("key" in effect ? effect.key : effect.type))).toEqual([
      "timeout:write[0]",
      "callAgent",
      "active",
      "timeout:write[1]",
      "callAgent",
    ]);
  });

  it("asks for nothing before it was created and says that it ended afterwards", () => {
    const driver = new Driver(documentOf([done]));
    expect(driver.reducer.outstanding(driver.reducer.initial)).toEqual([]);
    driver.start();
    expect(driver.reducer.outstanding(driver.state)).toEqual([{ type: "runEnded", outcome: driver.outcome }]);
  });

  it("asks for gates that are open and calls that were aborted", () => {
    const gate = new Driver(documentOf([gateStep("gate"), done])).start();
    expect(gate.reducer.outstanding(gate.state)).toContainEqual(gate.last("openGate"));
    const call = new Driver(documentOf([toolStep("act"), done])).start();
    call.send({ type: "cancel" });
    expect(call.reducer.outstanding(call.state)).toContainEqual(call.last("abortCall"));
    call.tool("act");
    expect(call.reducer.outstanding(call.state)).not.toContainEqual(call.last("abortCall"));
  });
});

describe("the audit", () => {
  const lines = () => auditLines(eventful().records);

  it("is whole, and tells which line was changed, left out, doubled or moved", () => {
    const whole = lines();
    expect(verifyAudit(whole)).toBeNull();
    expect(whole[0]).toMatchObject({
      seq: 1,
      actor: "starter-1",
      type: "run.created",
      prevHash: "0".repeat(64),
    });
    expect(whole.find(({ type }) => type === "gate.decided")).toMatchObject({
      actor: "op-1",
      stepPath: "gate",
      subject: "gate",
    });
    for (const [change, seq] of [
      [(all: typeof whole) => all.with(4, { ...line(all, 4), actor: "nobody" }), 5],
      [(all: typeof whole) => all.with(4, { ...line(all, 4), data: { a: 1 } }), 5],
      [(all: typeof whole) => all.toSpliced(4, 1), 5],
      [(all: typeof whole) => all.toSpliced(4, 0, line(all, 4)), 6],
      [(all: typeof whole) => all.slice(1), 1],
      [(all: typeof whole) => all.with(4, line(all, 5)).with(5, line(all, 4)), 5],
    ] as const)
      expect(verifyAudit(change(whole))).toBe(seq);
  });

  it("shows one flipped byte, wherever it is", () => {
    const text = auditText(lines().slice(0, 3));
    for (let at = 0; at < text.length; at++) {
      if (text[at] === "\n") continue;
      const flipped = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
      expect(isWhole(flipped)).toBe(false);
    }
  });

  it("goes on where it stopped", () => {
    const { records } = eventful();
    const first = auditLines(records.slice(0, 7));
    const rest = auditLines(records.slice(7), first.at(-1));
    expect([...first, ...rest]).toEqual(auditLines(records));
  });

  it("is written and read as one line of JSON each", () => {
    const all = lines();
    expect(readAudit(auditText(all))).toEqual(all);
    expect(readAudit("")).toEqual([]);
    for (const text of ["{}", "not json\n", `${auditText(all)}\n`])
      expect(() => readAudit(text)).toThrow(SyntaxError);
  });
});

const line = <Line>(lines: readonly Line[], at: number): Line => {
  const found = lines[at];
  if (found === undefined) throw new Error("no such line");
  return found;
};

function isWhole(text: string): boolean {
  try {
    return verifyAudit(readAudit(text)) === null;
  } catch {
    return false;
  }
}

describe("the redactor", () => {
  it("takes secrets out of texts and names, in whatever they are", () => {
    const secrets = { KEY: "s3cret", LONG: "s3cret-and-more", EMPTY: "" };
    expect(
      redact({ a: ["x s3cret y s3cret"], s3cret: 1, b: "s3cret-and-more", c: [null, true, 2] }, secrets),
    ).toEqual({
      a: ["x *** y ***"],
      "***": 1,
      b: "***",
      c: [null, true, 2],
    });
    expect(redact("nothing", {})).toBe("nothing");
    expect(redact("a $& b", { KEY: "a" })).toBe("*** $& b");
  });
});
