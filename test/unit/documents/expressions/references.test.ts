/** What an expression reads, as the validator asks. */
import { describe, expect, it } from "vitest";
import { compileExpression } from "../../../../src/documents/expressions";

const referencesOf = (source: string) => {
  const compiled = compileExpression(source, "value", { itemName: "order" });
  const references = compiled.ok ? compiled.expression.references : compiled.references;
  if (!references) throw new Error("the source cannot be parsed");
  return references;
};
/** `a!` for a step that is known to have run, `a` for one that is not. */
const stepsOf = (source: string) =>
  referencesOf(source).steps.map(({ step, guarded }) => (guarded ? `${step}!` : step));

describe("roots", () => {
  it("are listed in order of first use, a map's own name among them", () => {
    expect(referencesOf("order.a + config.b + index + order.c + run.id").roots).toEqual([
      "order",
      "config",
      "index",
      "run",
    ]);
    expect(referencesOf("1 + size([2])").roots).toEqual([]);
  });

  it("are not variables of the same name", () => {
    expect(referencesOf("[1].map(trigger, trigger + 1)").roots).toEqual([]);
    expect(referencesOf("[1].map(steps, steps.a)")).toMatchObject({
      roots: [],
      steps: [],
      stepsDynamic: false,
    });
    expect(referencesOf("[trigger.a].map(trigger, trigger.b)").roots).toEqual(["trigger"]);
  });

  it("are known of expressions with other faults", () => {
    expect(referencesOf("steps.a.output + nope.x").steps).toEqual([{ step: "a", guarded: false, offset: 0 }]);
  });
});

describe("steps", () => {
  it("are named with a dot or in brackets, and with their place", () => {
    expect(referencesOf('steps.a.output + steps["b-c"].output').steps).toEqual([
      { step: "a", guarded: false, offset: 0 },
      { step: "b-c", guarded: false, offset: 17 },
    ]);
  });

  it("may be unknown when they are read as a whole or under a computed key", () => {
    expect(referencesOf("size(steps) > 1").stepsDynamic).toBe(true);
    expect(referencesOf("steps[trigger.name].output").stepsDynamic).toBe(true);
    expect(referencesOf('steps["a"].output').stepsDynamic).toBe(false);
  });

  it.each([
    ["has(steps.a) && steps.a.output > 1", ["a!", "a!"]],
    ["has(steps.a.output) && steps.a.output > 1", ["a!", "a!"]],
    ["steps.a.output > 1 && has(steps.a)", ["a!", "a!"]],
    ['"a" in steps && steps["a"].output > 1', ["a!", "a!"]],
    ["has(steps.a) ? steps.a.output : steps.b.output", ["a!", "a!", "b"]],
    ["!has(steps.a) ? steps.a.output : steps.a.output", ["a!", "a", "a!"]],
    ["!has(steps.a) || steps.a.output > 1", ["a!", "a!"]],
    ["has(steps.a) || steps.a.output > 1", ["a!", "a"]],
    ["has(steps.a) && has(steps.b) && steps.a.output == steps.b.output", ["a!", "b!", "a!", "b!"]],
    ["(has(steps.a) || has(steps.b)) && steps.a.output > 1", ["a!", "b!", "a"]],
    ["!(has(steps.a) && has(steps.b)) || steps.b.output > 1", ["a!", "b!", "b!"]],
    ["has(steps.a) && trigger.list.exists(x, x == steps.a.output)", ["a!", "a!"]],
    ["steps.?a.output.orValue(1)", ["a!"]],
    ['steps[?"a"].output.orValue(1)', ["a!"]],
    ["steps.a.?output.orValue(1)", ["a"]],
    ["has(steps.a) && true ? steps.b.output : 1", ["a!", "b"]],
    ["has(trigger.a) && steps.a.output > 1", ["a"]],
  ])("%s knows %j", (source, steps) => {
    expect(stepsOf(source)).toEqual(steps);
  });
});

describe("signals", () => {
  it("are listed by name", () => {
    expect(
      referencesOf('has(signals.paid) && signals.paid.amount > 1 || signals["re-sent"].ok').signals,
    ).toEqual(["paid", "re-sent"]);
  });
});

it("takes no time to speak of for many guards", () => {
  const source = Array.from({ length: 200 }, (_, index) => `has(steps.s${index})`).join(" && ");
  expect(stepsOf(source)).toHaveLength(200);
});
