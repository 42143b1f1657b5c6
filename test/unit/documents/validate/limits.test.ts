/** How much a document may hold. */
import { describe, expect, it } from "vitest";
import { edited, findingsIn, findingsWith } from "../support/documents";

const S = "/playbook/steps";

describe("limits", () => {
  const many = (count: number, make: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => make(index));
  it("hold for steps, triggers, tools and branches", () => {
    const steps = many(201, (index) => ({ id: `s${index}`, kind: "tool", tool: "t", next: `s${index + 1}` }));
    const found = findingsIn(
      edited({
        "/playbook/tools": many(101, (index) => ({ name: index === 0 ? "t" : `t${index}` })),
        "/playbook/triggers": many(51, (index) => ({ kind: "webhook", source: "s", event: `e${index}` })),
        [S]: [...steps, { id: "s201", kind: "terminator", reason: "End." }],
      }),
    );
    expect(found).toEqual([`L803 ${S}`, "L807 /playbook/tools", "L806 /playbook/triggers"]);
    const branches = many(51, (index) => ({ when: `trigger.n == ${index}.0`, next: "gate" }));
    const decision = { id: "draft", kind: "decision", branches, default: "gate" };
    expect(findingsWith({ [`${S}/0`]: decision })).toEqual([`L804 ${S}/0/branches`]);
  });

  it("hold for texts and for names of members, in bytes", () => {
    const long = "\u20ac".repeat(21_846);
    expect(findingsWith({ "/playbook/instructions": long })).toEqual(["L805 /playbook/instructions"]);
    expect(findingsWith({ "/playbook/instructions": long.slice(1) })).toEqual([]);
    expect(
      findingsWith({ "/playbook/config": { ["x".repeat(65_537)]: 1 } }).map((one) => one.slice(0, 4)),
    ).toEqual(["L805"]);
  });
});
