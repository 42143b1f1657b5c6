import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkGuardrails } from "../../../../src/documents/validate/guardrails";
import { documents } from "../support/graphs";
import { findingsOf, found, withSteps } from "../support/passes";

const at = (path: string) => `/playbook/steps/${path}`;
const send = { name: "send", permissions: ["email.send"] };
const agent = (id: string, next: string, ...allowedTools: string[]) => ({
  id,
  kind: "agent",
  allowedTools,
  next,
});
const tool = (id: string, next: string, name = "send") => ({ id, kind: "tool", tool: name, next });
const gate = (id: string, next: string, onReject?: string) => ({ id, kind: "approval", next, onReject });
const choice = (id: string, fallback: string, next: string) => ({
  id,
  kind: "decision",
  branches: [{ when: "trigger.x", next }],
  default: fallback,
});
const end = { id: "done", kind: "terminator" };
const playbook = (
  selectors: unknown,
  tools: unknown = [send],
  permissions: unknown = ["email.send", "crm.read"],
) => ({
  tools,
  manifest: { requiredPermissions: permissions },
  guardrails: { requiresApprovalFor: selectors },
});
const check = (selectors: unknown, ...steps: unknown[]) =>
  found(checkGuardrails, withSteps(steps, playbook(selectors)));

describe("a permission that a tool needs", () => {
  const permissions = (needed: unknown, declared: unknown) =>
    found(checkGuardrails, withSteps([end], playbook([], [{ name: "t", permissions: needed }], declared)));

  it("must be asked for by the manifest, and is told once, at the tool", () => {
    expect(permissions(["email.draft"], ["email.draft"])).toEqual([]);
    expect(permissions(["email.draft", "email.send"], ["email.draft"])).toEqual([
      "R711 /playbook/tools/0/permissions/1",
    ]);
  });

  it("is not covered by a prefix or another spelling", () => {
    expect(permissions(["email.send"], ["email.*", "Email.send", "email"])).toEqual([
      "R711 /playbook/tools/0/permissions/0",
    ]);
  });

  it("is left to the shape check where it cannot be read", () => {
    expect(permissions(["email.send"], "email.send")).toEqual([]);
    expect(permissions("email.send", [])).toEqual([]);
    expect(permissions([7], [])).toEqual([]);
  });
});

describe("a selector of requiresApprovalFor", () => {
  const selector = (text: unknown) => check([text], gate("g", "t"), tool("t", "done"), end);

  it("selects a permission, a prefix, a tool or an artifact", () => {
    for (const text of ["email.send", "email.*", "crm.read", "tool:send", "artifact:email_draft"])
      expect(selector(text), text).toEqual([]);
  });

  it("that selects nothing is told", () => {
    for (const text of [
      "email.draft",
      "mail.*",
      "email.s*",
      "*",
      "",
      "tool:mail",
      "tool:",
      "Email.send",
      "send me",
    ])
      expect(selector(text), text).toEqual(["R704 /playbook/guardrails/requiresApprovalFor/0"]);
  });

  it("that forgot what it selects is told how to say it", () => {
    const steps = withSteps([gate("g", "t"), tool("t", "done"), end], playbook(["send", "email.sned"]));
    expect(findingsOf(checkGuardrails, steps).map(({ hint }) => hint)).toEqual([
      'did you mean "tool:send"?',
      'did you mean "email.send"?',
    ]);
  });

  it("of an artifact selects nothing where no step works", () => {
    expect(check(["artifact:x"], end)).toEqual(["R704 /playbook/guardrails/requiresApprovalFor/0"]);
  });

  it("is left to the shape check where it is no text", () => {
    expect(selector(7)).toEqual([]);
    expect(check("email.send", end)).toEqual([]);
  });
});

describe("a step that needs an approval", () => {
  it("and has a gate on every path is fine", () => {
    expect(check(["email.send"], gate("g", "t"), tool("t", "done"), end)).toEqual([]);
  });

  it("without one is told: a tool, an agent by what it may call, an item step", () => {
    expect(check(["email.send"], tool("t", "done"), end)).toEqual([`R712 ${at("0")}`]);
    expect(check(["email.*"], agent("a", "done", "send"), end)).toEqual([`R712 ${at("0")}`]);
    expect(check(["tool:send"], agent("a", "done"), end)).toEqual([]);
    expect(
      check(["tool:send"], { id: "m", kind: "map", itemStep: tool("t", ""), next: "done" }, end),
    ).toEqual([`R712 ${at("0/itemStep")}`]);
    expect(
      check(
        ["tool:send"],
        { id: "m", kind: "map", itemStep: "t", next: "done" },
        { id: "t", kind: "tool", tool: "send" },
        end,
      ),
    ).toEqual([`R712 ${at("1")}`]);
  });

  it("is told when only some paths have a gate", () => {
    expect(check(["email.send"], choice("c", "t", "g"), gate("g", "t"), tool("t", "done"), end)).toEqual([
      `R712 ${at("2")}`,
    ]);
    expect(
      check(["email.send"], choice("c", "h", "g"), gate("g", "t"), gate("h", "t"), tool("t", "done"), end),
    ).toEqual([]);
  });

  it("behind a rejection has not been approved", () => {
    expect(check(["email.send"], gate("g", "done", "t"), tool("t", "done"), end)).toEqual([
      `R712 ${at("1")}`,
    ]);
    expect(check(["email.send"], gate("g", "t", "t"), tool("t", "done"), end)).toEqual([`R712 ${at("1")}`]);
  });

  it("is not approved by a gate inside a map, which may have no elements", () => {
    const map = { id: "m", kind: "map", itemStep: { id: "g", kind: "approval" }, next: "t" };
    expect(check(["email.send"], map, tool("t", "done"), end)).toEqual([`R712 ${at("1")}`]);
  });

  it("that nothing leads to is left alone", () => {
    expect(check(["email.send"], end, tool("t", "done"))).toEqual([]);
  });
});

it("is right about random graphs: exactly the steps that a walk without approvals comes to", () => {
  fc.assert(
    fc.property(documents({ maxSteps: 15, requiresApprovalFor: ["email.*"] }), (document) => {
      const { steps } = document.playbook;
      const seen = new Set<string>();
      const walk = (id: string): void => {
        const step = steps.find((other) => other.id === id);
        if (!step || seen.has(id)) return;
        seen.add(id);
        if (step.kind === "decision")
          for (const next of [...step.branches.map((branch) => branch.next), step.default]) walk(next);
        else if (step.kind === "approval") step.onReject !== undefined && walk(step.onReject);
        else if (step.kind === "map") {
          if (typeof step.itemStep === "string") seen.add(step.itemStep);
          walk(step.next);
        } else if (step.kind !== "terminator") walk(step.next);
      };
      walk(steps[0]?.id ?? "");
      const sends = (step: object): boolean =>
        ("tool" in step && step.tool === "send") ||
        ("allowedTools" in step && Array.isArray(step.allowedTools) && step.allowedTools.includes("send"));
      const expected = steps.flatMap((step, index) => {
        if (!seen.has(step.id)) return [];
        if (step.kind === "map" && typeof step.itemStep === "object")
          return sends(step.itemStep) ? [`R712 ${at(`${index}/itemStep`)}`] : [];
        return sends(step) ? [`R712 ${at(String(index))}`] : [];
      });
      expect(found(checkGuardrails, document)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});
