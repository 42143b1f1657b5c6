/** Which code says what about members that are missing, unknown or of the wrong form, and where. */
import { describe, expect, it } from "vitest";
import { validateDocument } from "../../../../src/documents/validate";
import { edited, example, findingsIn, findingsWith, sevenKinds } from "../support/documents";

const M = "/playbook/manifest";
const G = "/playbook/guardrails";
const S = "/playbook/steps";
const agent = { id: "a", kind: "agent", role: "r", purpose: "p", allowedTools: [] };
const working = { ...agent, approvalPolicy: { mode: "auto" }, failureMode: "halt_run" };

describe("whole documents", () => {
  it("of the user's example and of all seven kinds have no finding", () => {
    expect(findingsIn(example())).toEqual([]);
    expect(findingsIn(sevenKinds())).toEqual([]);
  });

  it("are told everything at once, by path and then by code", () => {
    expect(
      findingsWith({
        "/opbVersion": "2.0",
        [`${M}/slug`]: "Not A Slug",
        [`${M}/visibility`]: "secret",
        [`${S}/0/next`]: undefined,
        [`${S}/1/onTimeout`]: "approve",
        [`${G}/maxLlmCostCents`]: -1,
        [`${G}/maxTolCalls`]: 1,
      }),
    ).toEqual([
      "E102 /opbVersion",
      `R701 ${G}/maxLlmCostCents`,
      `R702 ${G}/maxTolCalls`,
      `D204 ${M}/slug`,
      `E111 ${M}/visibility`,
      `S403 ${S}/0`,
      `S443 ${S}/1/onTimeout`,
    ]);
  });

  it("carry line and column of the value, or of the name where the name is wrong", () => {
    const text = '{\n  "opbVersion": 1.6,\n  "opbVersions": []\n}';
    const { findings } = validateDocument({ text }, { mode: "publish" });
    expect(findings.map(({ code, path, line, column }) => [code, path, line, column])).toEqual([
      ["E109", "", 1, 1],
      ["E101", "/opbVersion", 2, 17],
      ["E105", "/opbVersions", 3, 3],
    ]);
  });
});

describe("missing members", () => {
  it.each([
    ["/opbVersion", "E109 "],
    [`${M}/name`, `E109 ${M}`],
    [`${M}/premiumPriceCents`, `E109 ${M}`],
    ["/playbook/instructions", "E109 /playbook"],
    ["/playbook/guardrails", "R701 /playbook"],
    [`${G}/maxRunDurationSeconds`, `R701 ${G}`],
    [`${G}/maxLlmCostCents`, `R701 ${G}`],
    [`${S}/0/next`, `S403 ${S}/0`],
    [`${S}/0/purpose`, `S413 ${S}/0`],
    [`${S}/0/role`, `S411 ${S}/0`],
    [`${S}/0/approvalPolicy`, `E109 ${S}/0`],
    [`${S}/0/approvalPolicy/mode`, `E109 ${S}/0/approvalPolicy`],
    [`${S}/0/failureMode`, `E109 ${S}/0`],
    [`${S}/0/kind`, `S401 ${S}/0`],
    [`${S}/1/timeout`, `S441 ${S}/1`],
    [`${S}/1/approver`, `S442 ${S}/1`],
    [`${S}/1/onTimeout`, `E109 ${S}/1`],
    [`${S}/2/reason`, `S471 ${S}/2`],
    ["/playbook/triggers/0/kind", "T301 /playbook/triggers/0"],
    ["/playbook/triggers/0/event", "E109 /playbook/triggers/0"],
  ])("%s is said once, of the object that lacks it: %s", (pointer, finding) => {
    expect(findingsWith({ [pointer]: undefined })).toEqual([finding]);
  });

  it.each([
    "/requires",
    "/requires/secrets",
    "/playbook/configSchema",
    "/playbook/tools",
    `${M}/requiredConnectors`,
    `${S}/0/allowedTools`,
    `${S}/1/purpose`,
    `${S}/2/purpose`,
  ])("%s may be left out", (pointer) => {
    expect(findingsWith({ [pointer]: undefined })).toEqual([]);
  });

  it("are noticed where they would mean that nothing needs approval", () => {
    expect(findingsWith({ [`${G}/requiresApprovalFor`]: undefined })).toEqual([`?R701 ${G}`]);
  });

  it("are all told, though they share a place", () => {
    expect(findingsWith({ [M]: {} }).filter((finding) => finding === `E109 ${M}`)).toHaveLength(8);
  });
});

describe("members of a wrong form", () => {
  it.each<[string, unknown, string]>([
    ["/requires", [], "E110"],
    ["/playbook", 5, "E110"],
    ["/playbook/instructions", null, "E110"],
    ["/playbook/status", "live", "E111"],
    ["/playbook/status", 5, "E111"],
    ["/playbook/id", "pvr_lower", "D201"],
    ["/playbook/version", "1.0", "D202"],
    ["/playbook/version", "1.0.0-01", "D202"],
    ["/playbook/configSchema", [], "D209"],
    [`${M}/slug`, "a".repeat(81), "D204"],
    [`${M}/slug`, "caf\u00e9", "D204"],
    [`${M}/author/type`, "agency", "E111"],
    [`${M}/requiredPermissions/0`, "email", "D206"],
    [`${M}/premiumPriceCents`, "9", "E110"],
    ["/playbook/triggers/0", "webhook", "E110"],
    ["/playbook/triggers/0/kind", "hook", "T301"],
    ["/playbook/triggers/0/kind", 5, "T301"],
    ["/playbook/triggers/0/source", "pay ments", "T321"],
    ["/playbook/triggers/0/source", "", "T321"],
    ["/playbook/triggers/0/enabled", "yes", "E110"],
    [`${S}/1/kind`, "approvals", "S401"],
    [`${S}/0/id`, "1st", "S402"],
    [`${S}/0/role`, 5, "E110"],
    [`${S}/0/purpose`, "  ", "S413"],
    [`${S}/0/approvalPolicy`, "auto", "E110"],
    [`${S}/0/approvalPolicy/mode`, "yolo", "S415"],
    [`${S}/0/approvalPolicy/mode`, true, "S415"],
    [`${S}/0/failureMode`, "ignore", "S416"],
    [`${S}/1/timeout`, 7, "S451"],
    [`${S}/1/timeout`, null, "S451"],
    [`${S}/1/approver`, "", "S442"],
    [`${S}/1/approver`, 5, "E110"],
    [`${S}/1/approver`, {}, "S442"],
    [`${S}/1/approver`, { roles: [], users: [] }, "S442"],
    [`${S}/1/onTimeout`, "", "S443"],
    [`${S}/1/requireComment`, "yes", "E110"],
    [`${S}/2/reason`, "", "S471"],
    [`${S}/2/outcome`, "done", "S472"],
    [`${G}`, [], "R701"],
    [`${G}/maxRunDurationSeconds`, 0, "R703"],
    [`${G}/maxRunDurationSeconds`, -1, "R701"],
    [`${G}/maxLlmCostCents`, "0", "R701"],
    [`${G}/maxLlmCostCents`, 0.5, "R701"],
    [`${G}/maxLlmCostCents`, 1e300, "R701"],
    [`${G}/maxLlmCostCents`, null, "R701"],
    [`${G}/maxToolCalls`, -1, "R701"],
    [`${G}/requiresApprovalFor`, "email.send", "R701"],
  ])("%s = %j is %3$s alone, at its place", (pointer, value, code) => {
    expect(findingsWith({ [pointer]: value })).toEqual([`${code} ${pointer}`]);
  });

  it.each<[string, unknown, string]>([
    ["a role in a list that is no text", { roles: [5] }, "E110 /playbook/steps/1/approver/roles/0"],
    ["a count of nobody", { roles: ["x"], count: 0 }, "E110 /playbook/steps/1/approver/count"],
    ["an unknown member", { roles: ["x"], any: true }, "E105 /playbook/steps/1/approver/any"],
  ])("are told of the form that an approver has chosen: %s", (_, approver, finding) => {
    expect(findingsWith({ [`${S}/1/approver`]: approver })).toEqual([finding]);
  });

  it("say what would be right, and which name was probably meant", () => {
    const told = (pointer: string, value: unknown) =>
      validateDocument({ value: edited({ [pointer]: value }) }, { mode: "publish" }).findings[0];
    expect(told(`${S}/1/onTimeout`, "cancle")).toMatchObject({
      message: '"cancle" is not known here.',
      hint: 'did you mean "cancel"? "cancel" or "fail"',
    });
    expect(told(`${G}/maxLLMCostCents`, 5)?.hint).toBe('did you mean "maxLlmCostCents"?');
    expect(told(`${G}/maxLlmCostCents`, "0")).toMatchObject({ message: "Expected a number, found a text." });
    expect(told(`${S}/0/next`, undefined)?.hint).toBe("the id of the step that follows");
    expect(told("/playbook/instructions", "x".repeat(70_000))?.message).toBe("This text is too long.");
  });
});

describe("maps", () => {
  const map = {
    id: "m",
    kind: "map",
    items: "trigger.items",
    itemStep: { ...working, id: "item" },
    next: "gate",
  };
  const withMap = (edits: object) => findingsWith({ [`${S}/0`]: { ...map, ...edits } });
  it.each<[object, string[]]>([
    [{}, []],
    [{ items: undefined }, [`S461 ${S}/0`]],
    [{ concurrency: 0 }, [`S462 ${S}/0/concurrency`]],
    [{ concurrency: 33 }, [`S462 ${S}/0/concurrency`]],
    [{ concurrency: 1.5 }, [`S462 ${S}/0/concurrency`]],
    [{ concurrency: "2" }, [`E110 ${S}/0/concurrency`]],
    [{ maxItems: 1001 }, [`S466 ${S}/0/maxItems`]],
    [{ maxItems: 0 }, [`S466 ${S}/0/maxItems`]],
    [{ itemStep: undefined }, [`S463 ${S}/0`]],
    [{ itemPlaybook: "other" }, [`S463 ${S}/0/itemPlaybook`]],
    [{ itemStep: 5 }, [`E110 ${S}/0/itemStep`]],
    [{ itemStep: { id: "t", kind: "terminator", reason: "r" } }, [`S464 ${S}/0/itemStep/kind`]],
    [{ itemStep: { ...map, id: "inner" } }, [`S464 ${S}/0/itemStep/kind`]],
    [{ itemStep: { ...working, id: "i", kind: "agents" } }, [`S401 ${S}/0/itemStep/kind`]],
    [{ itemStep: { ...working, id: "i", next: "gate" } }, [`S464 ${S}/0/itemStep/next`]],
    [{ itemStep: { ...working, id: "i", purpose: undefined } }, [`S413 ${S}/0/itemStep`]],
    [{ as: "Order" }, [`E110 ${S}/0/as`]],
    [{ as: "steps" }, [`E110 ${S}/0/as`]],
    [{ as: "item" }, []],
  ])("with %j give %j", (edits, findings) => {
    expect(withMap(edits)).toEqual(findings);
  });

  it("let a rejected item lead nowhere", () => {
    const gate = {
      id: "ask",
      kind: "approval",
      approver: "x",
      timeout: "1h",
      onTimeout: "fail",
      onReject: "done",
    };
    expect(withMap({ itemStep: gate })).toEqual([`S404 ${S}/0/itemStep/onReject`]);
    const named = { [`${S}/0`]: { ...map, itemStep: "ask" }, [`${S}/-`]: gate };
    expect(findingsWith(named)).toEqual([`S404 ${S}/3/onReject`]);
  });

  it("ask no next of a step that they name", () => {
    expect(
      findingsWith({ [`${S}/0`]: { ...map, itemStep: "i" }, [`${S}/-`]: { ...working, id: "i" } }),
    ).toEqual([]);
  });
});

describe("waits", () => {
  const withWait = (wait: object) =>
    findingsWith({ [`${S}/0/next`]: "w", [`${S}/-`]: { id: "w", kind: "wait", next: "gate", ...wait } });
  it.each<[object, string[]]>([
    [{ duration: "1h" }, []],
    [{ until: "2026-01-01T00:00:00Z" }, []],
    [{ condition: "has(signals.go)", timeout: "6h", onTimeout: "continue" }, []],
    [{}, [`S453 ${S}/3`]],
    [{ duration: "1h", condition: "true" }, [`S453 ${S}/3/condition`]],
    [{ until: "2026-01-01T00:00:00Z", duration: "1h", timeout: "1h" }, [`S453 ${S}/3/duration`]],
    [{ condition: "has(signals.go)" }, [`S454 ${S}/3`]],
    [{ condition: "has(signals.go)", onTimeout: "fail" }, [`S454 ${S}/3`]],
    [{ condition: "has(signals.go)", timeout: "6h" }, [`E109 ${S}/3`]],
    [{ condition: "has(signals.go)", timeout: "6h", onTimeout: "approve" }, [`E111 ${S}/3/onTimeout`]],
    [{ duration: "1h", timeout: "6h" }, [`E105 ${S}/3/timeout`]],
    [{ duration: 5 }, [`S451 ${S}/3/duration`]],
  ])("%j give %j", (wait, findings) => {
    expect(withWait(wait)).toEqual(findings);
  });
});

describe("durations", () => {
  const at = `${S}/1/timeout`;
  it.each(["7D", "1.5h", "-5m", "1M", "7 d", "", "P1M", "7", "1h1d", "5m5m"])(
    "%j is malformed",
    (timeout) => {
      expect(findingsWith({ [at]: timeout })).toEqual([`S451 ${at}`]);
    },
  );
  it.each(["0s", "367d", "99999999d"])("%j is out of range", (timeout) => {
    expect(findingsWith({ [at]: timeout })).toEqual([`S452 ${at}`]);
  });
  it("of a gate are 1 minute to 90 days", () => {
    for (const timeout of ["60s", "90d", "P90D"]) expect(findingsWith({ [at]: timeout })).toEqual([]);
    for (const timeout of ["59s", "91d", "2160h1s"])
      expect(findingsWith({ [at]: timeout })).toEqual([`S444 ${at}`]);
  });
  it.each([
    ["/playbook/tools/0/timeout", "1x"],
    [`${S}/0/retry/delay`, "1x"],
    [`${S}/0/retry/maxDelay`, "1x"],
    [`${S}/3/duration`, "1x"],
    [`${S}/5/itemStep/timeout`, "1x"],
  ])("are read at %s", (pointer, duration) => {
    expect(findingsIn(edited({ [pointer]: duration }, sevenKinds()))).toEqual([`S451 ${pointer}`]);
  });
});

describe("a step of an unknown kind", () => {
  it("gives one finding, whatever else it holds", () => {
    const odd = { id: "draft", kind: "subroutine", timeout: 5, branches: {}, next: "gate", input: leaf() };
    expect(findingsWith({ [`${S}/0`]: odd })).toEqual([`S401 ${S}/0/kind`]);
  });
  const leaf = () => "$" + "{{ nope( }}";
});
