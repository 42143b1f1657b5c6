/** The runner notices what it must notice: each check has a vector, or a reducer with a mistake, that fails it. */
import { describe, expect, it } from "vitest";
import { validateTexts } from "../../../../src/documents/conformance/check-document";
import { checkRun, crashPlaces } from "../../../../src/documents/conformance/check-run";
import { EXAMPLE_TEXT } from "../../../../src/documents/conformance/documents";
import { vectorSchema } from "../../../../src/documents/conformance/vector";
import type { PlayInput } from "../../../../src/documents/host/play";
import { type Compile, compiler } from "../../../../src/documents/host/reducer";
import { publishDocument } from "../../../../src/documents/host/simulate";
import type { Effect, Reducer } from "../../../../src/documents/run/model";
import { APPROVAL_EXPIRY, expiryWith, failuresOf, runVectors } from "./support/vectors";

const expecting = (expect: object) => failuresOf(expiryWith({}, expect)).join("\n");

describe("a runtime vector", () => {
  it("is run straight, as a replay, after each event of a crash, and after all of them", () => {
    const [result] = runVectors([APPROVAL_EXPIRY]);
    const stored = result?.straight?.runs[0]?.records.length;
    expect(stored).toBe(13);
    // The start and the end as the triggers see them, and seven events of the run.
    expect(result?.runs).toBe(3 + 9);
  });

  const wrong: [string, object, string][] = [
    ["another status", { status: "completed" }, 'status: expected "completed", seen "cancelled"'],
    ["another reason code", { reasonCode: "approval_rejected" }, "reasonCode: expected"],
    ["another reason", { reason: "no" }, 'reason: expected "no"'],
    ["a terminator", { terminatorId: "done" }, 'terminatorId: expected "done", seen null'],
    ["money spent", { spentMicroCents: 1 }, "spentMicroCents: expected 1, seen 0"],
    ["other active time", { activeMs: 1201 }, "activeMs: expected 1201, seen 1200"],
    [
      "an event that did not happen",
      { trace: ["gate.decided:gate"] },
      "trace: expected gate.decided:gate, not seen",
    ],
    [
      "events in another order",
      { trace: ["run.started", "run.created"] },
      "trace: expected run.created after",
    ],
    ["fewer events", { trace: ["run.created"], traceExact: true }, "trace: expected the end as event 2"],
    ["that an event never happens", { never: ["gate.expired"] }, "never: gate.expired must never be seen"],
    ["another output", { outputs: { draft: { subject: "No" } } }, "outputs.draft: expected"],
    [
      "an output of a step that never ran",
      { outputs: { done: null } },
      "outputs.done: expected null, seen nothing",
    ],
    ["another artifact", { artifacts: { draft: [{ type: "email_draft", body: "x" }] } }, "artifacts.draft"],
    [
      "a tool call",
      { toolCalls: [{ tool: "send" }] },
      'toolCalls: expected {"tool":"send"} as call 1, seen none',
    ],
    ["an attempt", { attempts: { send: 1 } }, "attempts.send: expected 1, seen 0"],
    ["items in flight", { maxInFlight: { draft: 1 } }, "maxInFlight.draft: expected 1, seen 0"],
    ["a condition", { conditionEvaluations: { gate: 1 } }, "conditionEvaluations.gate: expected 1, seen 0"],
    ["two runs", { runs: 2 }, "runs: expected 2, seen 1"],
    [
      "another run status",
      { runStatuses: ["failed"] },
      'runStatuses: expected ["failed"], seen ["cancelled"]',
    ],
  ];
  for (const [what, expectation, message] of wrong) {
    it(`fails when it expects ${what}`, () => {
      expect(expecting(expectation)).toContain(`straight: ${message}`);
    });
  }

  it("checks what is expected in the crash runs and in the replay as well", () => {
    const failures = expecting({ status: "completed" });
    expect(failures).toMatch(/^replay: status/m);
    expect(failures).toMatch(/^crash after event 1 of 9: status/m);
    expect(failures).toMatch(/^crash after every event: status/m);
  });

  const script = (...steps: object[]) => failuresOf(expiryWith({ script: steps, expect: {} }, {})).join("\n");
  const scripted: [string, object[], string][] = [
    [
      "a state that is another",
      [{ expectState: { status: "running" } }, { expectState: { status: "waiting" } }],
      "expected status waiting, got running",
    ],
    [
      "a step that is not reached",
      [{ expectState: { step: "gate" } }],
      "expected the run at gate, it is at [draft]",
    ],
    [
      "a gate that is not open",
      [{ expectState: { gate: "gate" } }],
      "expected the gate gate open, open are []",
    ],
    [
      "a decision that is refused",
      [{ at: "+2s", decide: { gate: "gate", decision: "approve", by: null, expect: { status: 200 } } }],
      "expected 200, got 401",
    ],
    [
      "a decision with another code",
      [{ decide: { gate: "nope", decision: "approve", expect: { status: 409, code: "gate_expired" } } }],
      "expected 409 gate_expired, got 409 gate_not_open",
    ],
    ["a time that has passed", [{ advanceTo: "+2s" }, { at: "+1s", cancel: {} }], '"+1s" is in the past'],
    [
      "a run that nobody started",
      [{ trigger: { kind: "webhook", source: "s", event: "e", expect: { runs: 1 } } }],
      "expected 1 runs, got 0",
    ],
    [
      "a document that is refused",
      [{ publish: { document: {}, expect: { status: 201 } } }],
      "expected status 201, got 422",
    ],
    [
      "other codes of a refusal",
      [{ publish: { document: "{", expect: { codes: ["E101"] } } }],
      "expected codes [E101], got [E100]",
    ],
  ];
  for (const [what, steps, message] of scripted) {
    it(`fails when its script expects ${what}`, () => {
      expect(script(...steps)).toContain(message);
    });
  }

  it("fails when its document cannot run, with the reason", () => {
    expect(failuresOf(expiryWith({ document: "[]" })).join()).toContain("a document could not be read");
    const patch = [{ op: "replace", path: "/playbook/steps/1/subject", value: "nope(" }];
    const unrunnable = { base: "approval-expiry", patch: [{ ...patch[0], op: "add" }] };
    expect(failuresOf(expiryWith({ document: unrunnable })).join()).toContain("it broke down");
  });

  it("tells of a document with errors that it ran all the same", () => {
    const document = {
      base: "approval-expiry",
      patch: [{ op: "replace", path: "/playbook/manifest/slug", value: "Not a slug" }],
    };
    const [result] = runVectors([expiryWith({ document })]);
    expect(result).toMatchObject({
      failures: [],
      notes: ["its documents have errors: D204 /playbook/manifest/slug"],
    });
  });

  it("tells of an agent that the harness does not know", () => {
    const [result] = runVectors([expiryWith({ harness: { agents: { daft: [{ output: 1 }] } } })]);
    expect(result?.notes).toEqual(["harness/agents/draft has no answers, and was answered with nothing"]);
  });
});

describe("the places of crashes", () => {
  it("are all events, or of very many some from the first to the last", () => {
    expect(crashPlaces(0)).toEqual([]);
    expect(crashPlaces(1)).toEqual([1]);
    expect(crashPlaces(300)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
    for (const count of [301, 900, 20_000, 200_000]) {
      const places = crashPlaces(count);
      expect(places.length * count).toBeLessThanOrEqual(Math.max(300 * 300, 2 * count));
      expect([places[0], places.at(-1)]).toEqual([1, count]);
      expect(new Set(places).size).toBe(places.length);
    }
  });
});

describe("a reducer with a mistake", () => {
  const vector = vectorSchema.parse(APPROVAL_EXPIRY);
  const [document] = validateTexts([EXAMPLE_TEXT]).documents;
  if (!document || vector.group !== "runtime") throw new Error("The example is a runtime vector.");
  const { start, harness, script } = vector;
  const input: PlayInput = {
    start,
    harness,
    script,
    main: document,
    published: [],
    publish: publishDocument,
  };
  const compile = compiler();
  const failuresWith = (
    change: (reducer: Reducer<unknown>) => Partial<Reducer<unknown>>,
    played: PlayInput = input,
  ): string => {
    const changed: Compile = (given, hash) => {
      const reducer = compile(given, hash);
      return { ...reducer, ...change(reducer) };
    };
    return checkRun(played, vector.expect, false, "all", changed)
      .failures.map(({ way, message }) => `${way}: ${message}`)
      .join("\n");
  };

  it("passes without one", () => {
    expect(failuresWith(() => ({}))).toBe("");
  });

  it("is noticed when it forgets its timers in a crash", () => {
    const failures = failuresWith((reducer) => ({
      outstanding: (state) => reducer.outstanding(state).filter(({ type }) => type !== "armTimer"),
    }));
    expect(failures).toMatch(/^crash after event \d of 9: not the straight run's trace/m);
    expect(failures).toMatch(/^crash: the same vector fails after \d more of 9 events/m);
    expect(failures).not.toMatch(/^straight/m);
  });

  it("is noticed when it waits for an answer after a crash and does not ask again", () => {
    const signal = { at: "+1s", before_timers: false, signal: { name: "news" } };
    let last = "";
    const failures = failuresWith(
      (reducer) => ({
        fold: (events) => {
          last = events.at(-1)?.event.type ?? "";
          return reducer.fold(events);
        },
        outstanding: (state) =>
          reducer.outstanding(state).filter(({ type }) => last !== "signal" || type !== "callAgent"),
      }),
      { ...input, script: [signal, ...script] },
    );
    expect(failures).toContain(
      "After the crash the run still waited for agent of draft, but did not ask again.",
    );
  });

  it("may arm a timer for nothing after a crash, which is a no-op", () => {
    const failures = failuresWith((reducer) => ({
      outstanding: (state) => [
        ...reducer.outstanding(state),
        { type: "armTimer", key: "nothing", dueAtMs: 0, order: [0, 0] },
      ],
    }));
    expect(failures).toBe("");
  });

  it("is noticed when its events do not rebuild its state", () => {
    const failures = failuresWith((reducer) => ({ fold: (events) => reducer.fold(events.slice(0, -1)) }));
    expect(failures).toContain("do not rebuild its state");
  });

  it("is noticed when it counts on chance", () => {
    let calls = 0;
    const failures = failuresWith((reducer) => ({
      apply: (state, event, nowMs) => {
        const applied = reducer.apply(state, event, nowMs);
        calls += 1;
        const records = applied.records.map((record) => ({ ...record, data: { calls } }));
        return { ...applied, records };
      },
    }));
    expect(failures).toMatch(/^replay: not the straight run's trace/m);
  });

  it("is noticed when a replay asks for something else", () => {
    const seen = new Set<string>();
    const failures = failuresWith((reducer) => ({
      apply: (state, event, nowMs) => {
        const applied = reducer.apply(state, event, nowMs);
        const isAgain = seen.has(event.type);
        seen.add(event.type);
        if (event.type !== "run.start" || !isAgain) return applied;
        return { ...applied, effects: [] };
      },
    }));
    expect(failures).toContain("asked for something else than when it was recorded");
    expect(failures).toContain("replay: run 1: event 2 (run.start)");
  });

  it("is noticed when it changes the state that it was given", () => {
    const failures = failuresWith((reducer) => ({
      apply: (state, event, nowMs) => {
        const applied = reducer.apply(state, event, nowMs);
        if (event.type === "agent.answered" && state !== null && typeof state === "object") {
          Object.assign(state, { touched: true });
        }
        return applied;
      },
    }));
    expect(failures).toContain("The reducer changed the state that it was given with agent.answered");
  });

  it("is noticed when it never comes to rest", { timeout: 60_000 }, () => {
    const failures = failuresWith((reducer) => ({
      apply: (state, event, nowMs) => {
        const applied = reducer.apply(state, event, nowMs);
        const effects: Effect[] = [{ type: "armTimer", key: "tick", dueAtMs: nowMs, order: [0, 0] }];
        const records = [...applied.records, { type: "tick", atMs: nowMs }];
        return event.type === "timer" ? { ...applied, records, effects } : applied;
      },
    }));
    expect(failures).toContain("the run does not come to rest");
  });
});

describe("vectors about documents", () => {
  const about = (group: string, document: unknown, expect: object) =>
    failuresOf({ vector: "x", level: 1, group, document, expect }).join("\n");
  const EXAMPLE = { base: "approval-expiry" };
  const MISSPELT = {
    base: "approval-expiry",
    patch: [
      { op: "replace", path: "/playbook/steps/1/next", value: "dnoe" },
      { op: "replace", path: "/playbook/manifest/slug", value: "Not a slug" },
    ],
  };

  it("fail when an error is missing, at another place, or additional", () => {
    const found = [
      { code: "G502", path: "/playbook/steps/1/next", hint: "done" },
      { code: "D204", path: "/playbook/manifest/slug" },
    ];
    expect(about("invalid", MISSPELT, { findings: found })).toBe("");
    expect(about("invalid", MISSPELT, { findings: found.slice(0, 1) })).toContain("not expected: D204");
    expect(about("invalid", MISSPELT, { findings: [...found, { code: "G505" }] })).toContain(
      "expected G505 anywhere, not found",
    );
    const elsewhere = [{ code: "G502", path: "/playbook/steps/0/next" }, { code: "D204" }];
    expect(about("invalid", MISSPELT, { findings: elsewhere })).toContain(
      'not expected: G502 "/playbook/steps/1/next"',
    );
    const hinted = [{ code: "G502", hint: "draft" }, { code: "D204" }];
    expect(about("invalid", MISSPELT, { findings: hinted })).toContain('with "draft"');
  });

  it("count a warning only where one is expected", () => {
    const noTriggers = {
      base: "approval-expiry",
      patch: [{ op: "replace", path: "/playbook/triggers", value: [] }],
    };
    expect(about("valid", noTriggers, { findings: [] })).toBe("");
    expect(about("valid", noTriggers, { findings: [{ code: "T303", severity: "warning" }] })).toBe("");
    expect(about("valid", noTriggers, { findings: [{ code: "T303", severity: "error" }] })).toContain(
      "expected T303",
    );
    expect(about("valid", EXAMPLE, { findings: [{ code: "T303", severity: "warn" }] })).toContain(
      "(warning), not found",
    );
  });

  it("compare the circle of G503", () => {
    const loop = {
      base: "approval-expiry",
      patch: [{ op: "replace", path: "/playbook/steps/0/next", value: "draft" }],
    };
    const rest = [
      { code: "G504", path: "/playbook/steps/1" },
      { code: "G504", path: "/playbook/steps/2" },
    ];
    expect(about("invalid", loop, { findings: [{ code: "G503", cycle: ["draft", "draft"] }, ...rest] })).toBe(
      "",
    );
    expect(about("invalid", loop, { findings: [{ code: "G503", cycle: ["draft"] }, ...rest] })).toContain(
      "G503 anywhere draft, not found",
    );
  });

  it("hold a round trip against the canonical import", () => {
    expect(about("valid", EXAMPLE, { findings: [], roundTrip: true })).toBe("");
    expect(about("valid", "{", { findings: [{ code: "E100" }], roundTrip: true })).toContain(
      "no document that could be exported",
    );
  });

  it("run a valid document as well when the vector says how", () => {
    const { start, harness, script } = APPROVAL_EXPIRY;
    const vector = { vector: "x", level: 1, group: "valid", document: EXAMPLE, start, harness, script };
    expect(failuresOf({ ...vector, expect: { findings: [], status: "cancelled" } })).toEqual([]);
    expect(failuresOf({ ...vector, expect: { findings: [], status: "failed" } }).join()).toContain(
      "status: expected",
    );
  });

  it("publish several documents one after the other", () => {
    const dependsOn = (own: string, other: string) => ({
      base: "approval-expiry",
      patch: [
        { op: "replace", path: "/playbook/playbookId", value: own },
        { op: "replace", path: "/playbook/manifest/id", value: own },
        { op: "replace", path: "/playbook/triggers", value: [{ kind: "dependency", playbookId: other }] },
      ],
    });
    const [a, b] = ["plb_AAAAAAAAAAAAAAAAAAAAAAAAAA", "plb_BBBBBBBBBBBBBBBBBBBBBBBBBB"];
    const circle = { vector: "x", level: 1, group: "invalid", documents: [dependsOn(a, b), dependsOn(b, a)] };
    expect(failuresOf({ ...circle, expect: { findings: [{ code: "T332" }] } })).toEqual([]);
  });
});
