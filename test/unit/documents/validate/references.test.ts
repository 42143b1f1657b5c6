import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkReferences } from "../../../../src/documents/validate/references";
import { documents } from "../support/graphs";
import { findingsOf, found, withSteps } from "../support/passes";

const leaf = (source: string): string => `\${{ ${source} }}`;
const at = (path: string) => `/playbook/steps/${path}`;
const check = (...steps: unknown[]) => found(checkReferences, withSteps(steps));
const agent = (id: string, next: string, input?: unknown) => ({ id, kind: "agent", next, input });
const tool = (id: string, next: string, input?: unknown) => ({ id, kind: "tool", tool: "t", next, input });
const choice = (id: string, fallback: string, ...branches: [when: unknown, next: string][]) => ({
  id,
  kind: "decision",
  branches: branches.map(([when, next]) => ({ when, next })),
  default: fallback,
});
const end = (output?: unknown) => ({ id: "done", kind: "terminator", reason: "over", output });
const map = (more: object) => ({ id: "m", kind: "map", items: "trigger.list", next: "done", ...more });

describe("expressions", () => {
  it("are compiled for where they stand", () => {
    expect(check(choice("a", "done", ["a >>", "done"]), end())).toEqual([`X601 ${at("0/branches/0/when")}`]);
    expect(check(choice("a", "done", ['env.KEY == ""', "done"]), end())).toEqual([
      `X602 ${at("0/branches/0/when")}`,
    ]);
    expect(check(choice("a", "done", ["1 + 2", "done"]), end())).toEqual([`X603 ${at("0/branches/0/when")}`]);
    expect(check({ id: "w", kind: "wait", condition: "1", next: "done" }, end())).toEqual([
      `X603 ${at("0/condition")}`,
    ]);
    expect(check(map({ items: "1" }), end())).toEqual([`X609 ${at("0/items")}`]);
    expect(check({ id: "g", kind: "approval", subject: "1 +", next: "done" }, end())).toEqual([
      `X601 ${at("0/subject")}`,
    ]);
    expect(check({ id: "w", kind: "wait", until: "7", next: "done" }, end())).toEqual([
      `X601 ${at("0/until")}`,
    ]);
  });

  it("in until are left alone when they are an instant", () => {
    expect(check({ id: "w", kind: "wait", until: "2026-01-01T00:00:00Z", next: "done" }, end())).toEqual([]);
    expect(check({ id: "w", kind: "wait", until: "trigger.at", next: "done" }, end())).toEqual([]);
    expect(check({ id: "w", kind: "wait", until: "2026-13-01T00:00:00Z", next: "done" }, end())).toEqual([
      `X601 ${at("0/until")}`,
    ]);
  });

  it("in templates are reported at their leaf, escaped as a pointer is", () => {
    const input = { ok: leaf("trigger.a"), "a/b~": ["x", leaf("1 +")], open: `\${{ trigger.a` };
    expect(check(tool("t", "done", input), end({ text: leaf("nope.x") }))).toEqual([
      `X601 ${at("0/input/a~1b~0/1")}`,
      `X610 ${at("0/input/open")}`,
      `X602 ${at("1/output/text")}`,
    ]);
  });

  it("of a step of an unknown kind, and what is no text, are left alone", () => {
    expect(check({ id: "a", kind: "magic", input: leaf("1 +"), next: "done" }, end())).toEqual([]);
    expect(check(choice("a", "done", [7, "done"], [null, "done"]), end())).toEqual([]);
    expect(check({ id: "a", kind: "decision", branches: "x", default: "done" }, end())).toEqual([]);
  });

  it("see no secrets, and only a tool's input names them", () => {
    expect(check(tool("t", "done", { key: { $secret: "KEY" } }), end())).toEqual([]);
    expect(check(tool("t", "done", { key: leaf("secrets.KEY") }), end())).toEqual([
      `X612 ${at("0/input/key")}`,
    ]);
    expect(check(agent("a", "done", { key: { $secret: "KEY" } }), end({ $secret: "KEY" }))).toEqual([
      `X612 ${at("0/input/key")}`,
      `X612 ${at("1/output")}`,
    ]);
  });
});

describe("a reference to a step", () => {
  const reads = (id: string) => ({ x: leaf(`steps.${id}.output`) });

  it("that ran on every path is fine", () => {
    expect(check(agent("a", "b"), agent("b", "done", reads("a")), end(reads("b")))).toEqual([]);
  });

  it("that does not exist is reported with the nearest name, guarded or not", () => {
    const findings = findingsOf(checkReferences, withSteps([agent("draft", "done"), end(reads("darft"))]));
    expect(findings).toMatchObject([{ code: "X604", path: at("1/output/x"), hint: 'did you mean "draft"?' }]);
    expect(check(agent("draft", "done"), end(leaf("has(steps.nope) ? 1 : 2")))).toEqual([
      `X604 ${at("1/output")}`,
    ]);
  });

  it("that may have this name, having none of its own, is not called unknown", () => {
    expect(check({ kind: "agent", next: "done" }, end(reads("draft")))).toEqual([]);
    expect(
      check(agent("a", "gate"), { id: "a", kind: "approval", next: "done" }, end(reads("gate"))),
    ).toEqual([]);
  });

  it("that only runs later, or is this one, is an error even when it is guarded", () => {
    const guarded = leaf("has(steps.done.output) ? 1 : 2");
    expect(check(choice("a", "done", ['steps.done.output == "x"', "done"]), end())).toEqual([
      `X606 ${at("0/branches/0/when")}`,
    ]);
    expect(check(agent("a", "done", guarded), end())).toEqual([`X606 ${at("0/input")}`]);
    expect(check(agent("a", "done", reads("a")), end())).toEqual([`X606 ${at("0/input/x")}`]);
  });

  it("that ran on some paths only is a warning, unless it is guarded", () => {
    const steps = (output: unknown) => [
      choice("c", "b", ["trigger.x", "a"]),
      agent("a", "done"),
      agent("b", "done"),
      end(output),
    ];
    expect(findingsOf(checkReferences, withSteps(steps(reads("a"))))).toMatchObject([
      { code: "X605", severity: "warning", path: at("3/output/x") },
    ]);
    expect(check(...steps(leaf("has(steps.a) ? steps.a.output : null")))).toEqual([]);
    expect(check(...steps(leaf("steps.?a.?output.orValue(null)")))).toEqual([]);
  });

  it("of another branch is one that did not run on every path", () => {
    expect(
      check(choice("c", "b", ["trigger.x", "a"]), agent("a", "done"), agent("b", "done", reads("a")), end()),
    ).toEqual([`X605 ${at("2/input/x")}`]);
  });

  it("says nothing where edges are missing, go round, or nothing leads to", () => {
    const lost = { id: "a", kind: "agent" };
    expect(check(choice("c", "b", ["trigger.x", "a"]), lost, agent("b", "done"), end(reads("a")))).toEqual(
      [],
    );
    expect(check(agent("a", "b"), agent("b", "a", reads("a")), end())).toEqual([]);
    expect(check(agent("a", "done"), agent("b", "done", reads("a")), end(reads("b")))).toEqual([]);
  });
});

describe("inside a map", () => {
  it("item and index are known, outside they are not, and not in its own items", () => {
    const item = { id: "each", kind: "tool", tool: "t", input: { x: leaf("item.name"), y: leaf("index") } };
    expect(check(map({ itemStep: item }), end())).toEqual([]);
    expect(check(map({ itemStep: "each" }), item, end())).toEqual([]);
    expect(check(map({ items: "item.list", itemStep: item }), end({ x: leaf("index") }))).toEqual([
      `X611 ${at("0/items")}`,
      `X611 ${at("1/output/x")}`,
    ]);
  });

  it("`as` takes the place of item, in that map alone", () => {
    const each = (source: string) => ({ id: "each", kind: "tool", tool: "t", input: leaf(source) });
    expect(check(map({ as: "order", itemStep: each("order.id") }), end())).toEqual([]);
    expect(check(map({ as: "order", itemStep: "each" }), each("order.id + string(index)"), end())).toEqual(
      [],
    );
    expect(check(map({ as: "order", itemStep: each("item.id") }), end())).toEqual([
      `X611 ${at("0/itemStep/input")}`,
    ]);
    expect(check(map({ as: "order", itemStep: each("index") }), end(leaf("order.id")))).toEqual([
      `X602 ${at("1/output")}`,
    ]);
  });

  it("a name that no name may be is told at the map, not at its uses", () => {
    const each = { id: "each", kind: "tool", tool: "t", input: leaf("Order.id") };
    expect(check(map({ as: "Order", itemStep: each }), end())).toEqual([]);
  });

  it("steps before the map have run; the map and its item step have no output yet", () => {
    const each = (source: string) => ({ id: "each", kind: "agent", input: leaf(source) });
    expect(
      check(agent("a", "m"), map({ itemStep: each("steps.a.output") }), end(leaf("steps.m.output"))),
    ).toEqual([]);
    expect(check(map({ itemStep: each("steps.m.output") }), end())).toEqual([
      `X606 ${at("0/itemStep/input")}`,
    ]);
    expect(check(map({ itemStep: each("steps.each.output") }), end(leaf("steps.each.output")))).toEqual([
      `X604 ${at("0/itemStep/input")}`,
      `X604 ${at("1/output")}`,
    ]);
  });
});

describe("branches of a decision", () => {
  const branches = (...whens: string[]) =>
    check(choice("a", "done", ...whens.map((when): [string, string] => [when, "done"])), end());
  const when = (index: number) => at(`0/branches/${index}/when`);

  it("that are never taken are told: after true, and false", () => {
    expect(branches("trigger.x", "true")).toEqual([]);
    expect(branches("true", "trigger.x")).toEqual([`S433 ${when(0)}`]);
    expect(branches("1 == 1", "false")).toEqual([`S433 ${when(0)}`, `S433 ${when(1)}`]);
    expect(branches('trigger.x == "true"', "trigger.true")).not.toContain(`S433 ${when(0)}`);
  });

  it("with the condition of an earlier one are told, whatever the spaces", () => {
    expect(branches("trigger.n > 1", "trigger.m > 1", "trigger.n>1")).toEqual([`S434 ${when(2)}`]);
    expect(branches('trigger.n == "a b"', 'trigger.n == "a  b"')).toEqual([]);
  });
});

describe("random graphs", () => {
  it("that are valid have no finding", () => {
    fc.assert(
      fc.property(documents({ maxSteps: 20 }), (document) => {
        expect(found(checkReferences, document)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
