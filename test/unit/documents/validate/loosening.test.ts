/**
 * No mutation of a guardrail or a gate makes it more permissive unnoticed: either there is a finding, or nothing is
 * looser, or what is looser stands in the text for everyone to see.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/documents/model";
import { validateDocument } from "../../../../src/documents/validate";
import { plainValue } from "../../../../src/documents/validate/plain-value";
import { isObject } from "../../../../src/documents/validate/view";
import { edited, sevenKinds } from "../support/documents";
import {
  get,
  isMembers,
  jsonValueOf,
  remove,
  rename,
  repeat,
  set,
  slotsIn,
  type Tree,
  textOf,
  treeOf,
} from "../support/mutations";
import { looserPlaces, surprisesIn } from "../support/permissiveness";

/** Fixed, so that a failure comes again; fast-check prints it with the counterexample. */
const SEED = 20_260_102;
const RUNS = 2000;
type Owner = Parameters<typeof surprisesIn>[0];

/** What protects in the document of seven kinds. */
const PLACES: readonly [owner: Owner, tokens: (string | number)[]][] = [
  ["guardrails", ["playbook", "guardrails"]],
  ["approvalPolicy", ["playbook", "steps", 1, "approvalPolicy"]],
  ["gate", ["playbook", "steps", 4]],
  ["gate", ["playbook", "steps", 5, "itemStep"]],
];

const VALUES: readonly Tree[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  7,
  0.5,
  1e6,
  1e300,
  "",
  "0",
  "50",
  "5.0",
  "none",
  "unlimited",
  "auto",
  "Auto",
  "required",
  "Required",
  "REQUIRED ",
  "yolo",
  "approve",
  "continue",
  "cancel",
  "Cancel",
  "fail",
  "operator",
  "anyone",
  "*",
  "1h",
  "1H",
  "90d",
  "P1D",
  "P90D",
  "1M",
  "7 d",
  "9999d",
  "email.*",
  [],
  [null],
  ["email.send"],
  ["email.send", 5],
  [["email.send"]],
  ["EMAIL.SEND"],
  { members: [] },
  { members: [["mode", "auto"]] },
  { members: [["roles", []]] },
  { members: [["roles", ["anyone"]]] },
  {
    members: [
      ["users", ["eve"]],
      ["count", 1],
    ],
  },
  { members: [["count", 0]] },
  { members: [["any", true]] },
  { members: [["__proto__", { members: [["mode", "auto"]] }]] },
];
const NAMES: readonly string[] = [
  "__proto__",
  "constructor",
  "x-vendor",
  "X-Vendor",
  "autoApprove",
  "autoApproveAfter",
  "default",
  "unlimited",
  "maxLLMCostCents",
  "max_llm_cost_cents",
  "maxLlmCostDollars",
  "maxToolcalls",
  "MaxToolCalls",
  "requireApprovalFor",
  "requiresapprovalfor",
  "requiresApprovalFor ",
  "Mode",
  "modes",
  "approvers",
  "timeOut",
  "ontimeout",
  "on_timeout",
  "requireComments",
  "allowSelfApprovals",
  "count",
  "roles",
  "mode",
  "timeout",
  "maxToolCalls",
  "onTimeout",
  "requiresApprovalFor",
  "approver",
  "\u043cax",
  "ma\u0445ToolCalls",
  "timeout\u200b",
  "allowSelfApproval",
  "kind",
];

interface Mutation {
  kind: number;
  slot: number;
  value: Tree;
  name: string;
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.nat(5),
  slot: fc.nat(99),
  value: fc.constantFrom(...VALUES),
  name: fc.constantFrom(...NAMES),
});

function treeAt(tree: Tree, tokens: readonly (string | number)[]): Tree {
  return tokens.reduce<Tree>((at, token) => {
    if (Array.isArray(at)) return at[Number(token)] ?? null;
    return (isMembers(at) ? at.members.find(([name]) => name === token)?.[1] : null) ?? null;
  }, tree);
}

function mutateInside(owner: Tree, { kind, slot, value, name }: Mutation): void {
  const slots = slotsIn(owner);
  const at = slots[slot % Math.max(1, slots.length)];
  if (!at) return;
  const tree = structuredClone(value);
  if (kind === 0) remove(at);
  else if (kind === 1) set(at, tree);
  else if (kind === 2) rename(at, name);
  else if (kind === 3) repeat(at, tree);
  else if (kind === 4 && isMembers(owner))
    owner.members.splice(slot % (owner.members.length + 1), 0, [name, tree]);
  else set(at, [get(at)]);
}

const mutated = fc.tuple(fc.constantFrom(...PLACES), fc.array(mutation, { minLength: 1, maxLength: 2 }));

function treeOfMutated([[, tokens], mutations]: [(typeof PLACES)[number], Mutation[]]): Tree {
  const tree = treeOf(sevenKinds());
  for (const one of mutations) mutateInside(treeAt(tree, tokens), one);
  return tree;
}

const objectOf = (value: unknown): JsonObject => {
  const json = plainValue(value).value;
  return isObject(json) ? json : {};
};

interface Judgement {
  isRefused: boolean;
  /** What is looser, of a document that is not refused. */
  looser: string[];
  /** What of it nobody could tell from the text. */
  unnoticed: string[];
}

/** `ignored` codes are taken for nothing, as by a validator that does not know them. */
function judge(tree: Tree, ignored: readonly string[] = []): Judgement {
  const { findings, document } = validateDocument({ text: textOf(tree) }, { mode: "publish" });
  const isRefused = findings.some(({ severity, code }) => severity === "error" && !ignored.includes(code));
  if (isRefused) return { isRefused, looser: [], unnoticed: [] };
  const surprises = PLACES.flatMap(([owner, tokens]) => surprisesIn(owner, treeAt(tree, tokens)));
  const looser = looserPlaces(sevenKinds(), objectOf(document));
  // What is written plainly and means just that is the author's will.
  const written = new Set(looserPlaces(sevenKinds(), objectOf(jsonValueOf(tree))));
  return { isRefused, looser, unnoticed: [...surprises, ...looser.filter((place) => !written.has(place))] };
}

describe("a mutation of what protects", () => {
  it("loosens nothing unnoticed", () => {
    const counts = { refused: 0, looser: 0, same: 0 };
    fc.assert(
      fc.property(mutated, (one) => {
        const { isRefused, looser, unnoticed } = judge(treeOfMutated(one));
        counts[isRefused ? "refused" : looser.length > 0 ? "looser" : "same"]++;
        expect(unnoticed).toEqual([]);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    // All three must happen, or nothing is said about them.
    expect(Math.min(counts.refused, counts.looser, counts.same)).toBeGreaterThan(RUNS / 50);
  }, 240_000);

  it.each([
    ["R702", "an unknown guardrail"],
    ["E105", "an unknown field of a gate"],
    ["E106", "a name given twice"],
    ["R701", "a guardrail of a wrong type"],
    ["E108", "a name of a prototype"],
    ["S415", "an unknown mode"],
  ])("would be noticed here if the validator knew no %s, %s", (code) => {
    const { failed } = fc.check(
      fc.property(mutated, (one) => judge(treeOfMutated(one), [code]).unnoticed.length === 0),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    );
    expect(failed).toBe(true);
  });

  it("is refused for a cap that is written twice, whichever comes first", () => {
    for (const [first, second] of [
      [0, 99_999],
      [99_999, 0],
    ] as const) {
      const tree = treeOf(sevenKinds());
      const guardrails = treeAt(tree, ["playbook", "guardrails"]);
      if (isMembers(guardrails))
        guardrails.members.unshift(["maxLlmCostCents", first], ["maxLlmCostCents", second]);
      expect(judge(tree).isRefused).toBe(true);
    }
  });
});

describe("the measure of permissiveness", () => {
  it.each<[string, unknown, string[]]>([
    ["/playbook/guardrails/maxToolCalls", 41, ["/playbook/guardrails/maxToolCalls"]],
    ["/playbook/guardrails/maxToolCalls", 39, []],
    ["/playbook/guardrails/maxToolCalls", undefined, ["/playbook/guardrails/maxToolCalls"]],
    ["/playbook/guardrails/requiresApprovalFor/0", undefined, ["/playbook/guardrails/requiresApprovalFor"]],
    ["/playbook/guardrails/requiresApprovalFor/-", "artifact:letter", []],
    ["/playbook/steps/1/approvalPolicy/mode", "auto", ["/playbook/steps/1/approvalPolicy/mode"]],
    ["/playbook/steps/4/timeout", "3d", ["/playbook/steps/4/timeout"]],
    ["/playbook/steps/4/timeout", "P1D", []],
    ["/playbook/steps/4/onTimeout", "fail", []],
    ["/playbook/steps/4/onTimeout", "approve", ["/playbook/steps/4/onTimeout"]],
    ["/playbook/steps/4/approver/count", 1, ["/playbook/steps/4/approver"]],
    ["/playbook/steps/4/approver/users/-", "eve", ["/playbook/steps/4/approver"]],
    ["/playbook/steps/4/approver/users/1", undefined, []],
    ["/playbook/steps/4/requireComment", undefined, ["/playbook/steps/4/requireComment"]],
    ["/playbook/steps/4/allowSelfApproval", true, ["/playbook/steps/4/allowSelfApproval"]],
    ["/playbook/steps/5/itemStep/timeout", "2h", ["/playbook/steps/5/itemStep/timeout"]],
    ["/playbook/steps/5/itemStep/kind", "wait", ["/playbook/steps/5/itemStep/kind"]],
  ])("of %s = %j finds %j looser", (pointer, value, looser) => {
    expect(looserPlaces(sevenKinds(), edited({ [pointer]: value }, sevenKinds()))).toEqual(looser);
  });
});
