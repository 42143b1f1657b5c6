import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/documents/model";
import { checkGraph } from "../../../../src/documents/validate/graph";
import { documents } from "../support/graphs";
import { findingsOf, found, jsonOf, withSteps } from "../support/passes";

const agent = (id: string, next?: string) => ({ id, kind: "agent", next });
const gate = (id: string, next?: string, onReject?: string) => ({ id, kind: "approval", next, onReject });
const decision = (id: string, fallback: string | undefined, ...branches: unknown[]) => ({
  id,
  kind: "decision",
  default: fallback,
  branches: branches.map((next) => ({ when: "true", next })),
});
const map = (id: string, itemStep: unknown, next: string) => ({
  id,
  kind: "map",
  items: "[]",
  itemStep,
  next,
});
const end = (id = "done") => ({ id, kind: "terminator", reason: "over" });
const at = (path: string) => `/playbook/steps/${path}`;
const check = (...steps: unknown[]) => found(checkGraph, withSteps(steps));

describe("the steps of a playbook", () => {
  it("make a graph without a finding when they lead to a terminator", () => {
    expect(check(agent("draft", "gate"), gate("gate", "done"), end())).toEqual([]);
  });

  it("may join again behind a decision", () => {
    expect(check(decision("a", "b", "c"), agent("b", "done"), agent("c", "done"), end())).toEqual([]);
  });

  it("must not be none, and nothing else is said then", () => {
    expect(found(checkGraph, withSteps([]))).toEqual(["G500 /playbook/steps"]);
  });

  it("are left to the shape check when they are no list", () => {
    for (const steps of [null, {}, "steps", 7]) expect(found(checkGraph, withSteps(steps))).toEqual([]);
    expect(found(checkGraph, {})).toEqual([]);
  });
});

describe("an id", () => {
  it("that is taken is reported at the later step", () => {
    expect(check(agent("a", "done"), end(), end())).toEqual([`G501 ${at("2/id")}`]);
  });

  it("of an item step inside a map counts as well, on either side", () => {
    expect(check(map("m", { id: "done", kind: "wait" }, "done"), end())).toContain(`G501 ${at("1/id")}`);
    expect(check(agent("a", "m"), map("m", { id: "a", kind: "wait" }, "done"), end())).toEqual([
      `G501 ${at("1/itemStep/id")}`,
    ]);
  });

  it("given twice by mistake is one fault: the edge to the name that is gone is explained by it", () => {
    const [double, ...others] = findingsOf(
      checkGraph,
      withSteps([agent("draft", "gate"), gate("draft", "done"), end()]),
    );
    expect(others).toEqual([]);
    expect(double).toMatchObject({ code: "G501", path: at("1/id") });
    expect(double?.hint).toContain('"gate"');
  });

  it("given twice explains one missing name, not two", () => {
    expect(check(decision("a", "gone", "lost"), end("a"))).toEqual([
      `G502 ${at("0/default")}`,
      `G501 ${at("1/id")}`,
    ]);
  });
});

describe("an edge", () => {
  it("that names no step is reported with the nearest name, and its target is not called unreachable", () => {
    const findings = findingsOf(checkGraph, withSteps([agent("draft", "dnoe"), end()]));
    expect(findings).toMatchObject([{ code: "G502", path: at("0/next"), hint: 'did you mean "done"?' }]);
  });

  it("is looked for in next, branches, default, onReject and itemStep", () => {
    expect(
      check(decision("a", "zzzz", "yyyy", "b"), gate("b", "c", "xxxx"), map("c", "wwww", "done"), end()),
    ).toEqual([
      `G502 ${at("0/branches/0/next")}`,
      `G502 ${at("0/default")}`,
      `G502 ${at("1/onReject")}`,
      `G502 ${at("2/itemStep")}`,
    ]);
  });

  it("cannot lead to an item step", () => {
    const inside = map("m", { id: "each", kind: "agent" }, "done");
    expect(check(decision("a", "m", "each"), inside, end())).toEqual([`G502 ${at("0/branches/0/next")}`]);
    expect(check(map("m", { id: "x", kind: "wait" }, "n"), map("n", "x", "done"), end())).toEqual([
      `S465 ${at("1/itemStep")}`,
    ]);
  });

  it("that its kind does not have is none", () => {
    expect(check(agent("a", "done"), { ...end(), next: "a" })).toEqual([]);
    expect(check({ ...agent("a", "done"), default: "zzzz", branches: [{ next: "a" }] }, end())).toEqual([]);
  });

  it("that is missing or no text is left to the shape check, and what it may have led to is not called unreachable", () => {
    expect(check(agent("draft"), gate("gate", "done"), end())).toEqual([]);
    expect(check({ ...agent("draft"), next: 7 }, gate("gate", "done"), end())).toEqual([]);
    expect(check(decision("a", undefined, "b"), agent("b", "x"), end("x"), end("y"))).toEqual([]);
    expect(check({ id: "a", kind: "decision", default: "b" }, end("b"), end("c"), end("d"))).toEqual([]);
  });

  it("of a step of an unknown kind is followed wherever it may stand, and says nothing if it leads somewhere", () => {
    expect(check({ id: "a", kind: "agnet", next: "b" }, end("b"))).toEqual([]);
    expect(check({ id: "a", kind: "choice", branches: [{ next: "b" }] }, end("b"))).toEqual([]);
    expect(check({ id: "a", kind: "choice" }, end("b"), end("c"))).toEqual([]);
  });
});

describe("a circle", () => {
  const cycles = (...steps: unknown[]) =>
    findingsOf(checkGraph, withSteps(steps))
      .filter(({ code }) => code === "G503")
      .map(({ path, cycle }) => [path.slice("/playbook/steps/".length), cycle?.join(">")]);

  it("of one step is reported at its edge, and what it leaves out is unreachable", () => {
    expect(check(agent("draft", "draft"), gate("gate", "done"), end())).toEqual([
      `G503 ${at("0/next")}`,
      `G504 ${at("1")}`,
      `G504 ${at("2")}`,
    ]);
  });

  it("begins with the step that stands first, at the edge that closes it, and its message ends with it", () => {
    const steps = [agent("entry", "d"), decision("a", "done", "b"), agent("b", "d"), agent("d", "a"), end()];
    expect(cycles(...steps)).toEqual([["3/next", "a>b>d>a"]]);
    expect(findingsOf(checkGraph, withSteps(steps))[0]?.message).toMatch(/ a>b>d>a$/);
  });

  it("is reported once for each edge that closes one, the shortest", () => {
    expect(cycles(decision("a", "c", "b"), agent("b", "c"), decision("c", "a", "done"), end())).toEqual([
      ["2/default", "a>c>a"],
    ]);
    expect(cycles(agent("a", "b"), decision("b", "c", "a"), decision("c", "b", "done"), end())).toEqual([
      ["1/branches/0/next", "a>b>a"],
      ["2/default", "b>c>b"],
    ]);
  });

  it("of two parallel edges is one circle", () => {
    expect(cycles(agent("a", "b"), decision("b", "a", "a", "done"), end())).toEqual([
      ["1/branches/0/next", "a>b>a"],
    ]);
  });

  it("is found in a part that nothing leads to", () => {
    expect(check(end(), agent("x", "y"), agent("y", "x"))).toEqual([
      `G504 ${at("1")}`,
      `G504 ${at("2")}`,
      `G503 ${at("2/next")}`,
    ]);
  });

  it("is not what a map and its item step make", () => {
    expect(cycles(map("m", "m", "done"), end())).toEqual([]);
  });
});

describe("a step that no path leads to", () => {
  it("is reported, and so is what only it leads to", () => {
    expect(check(agent("a", "done"), end(), agent("lost", "more"), end("more"))).toEqual([
      `G504 ${at("2")}`,
      `G504 ${at("3")}`,
    ]);
  });

  it("is reported beside a step whose edge is missing", () => {
    expect(check(agent("a"), gate("b", "done"), end(), end("orphan"))).toEqual([`G504 ${at("3")}`]);
  });

  it("is nothing to speak of when the entry cannot be read", () => {
    expect(check(null, end("a"), end("b"))).toEqual([]);
  });

  it("may have no id", () => {
    expect(check(end(), { kind: "terminator" })).toEqual([`G504 ${at("1")}`]);
  });
});

describe("a step that a map names", () => {
  it("is reached by its map and needs no edge", () => {
    expect(check(map("m", "each", "done"), agent("each"), end())).toEqual([]);
  });

  it("must not be one that an edge leads to: S465 alone, whatever its own next is", () => {
    const steps = (next?: string) => [
      agent("a", "each"),
      agent("each", next),
      map("m", "each", "done"),
      end(),
    ];
    expect(check(...steps("m"))).toEqual([`S465 ${at("2/itemStep")}`]);
    expect(check(...steps())).toEqual([`S465 ${at("2/itemStep")}`]);
    expect(check(map("m", "m", "done"), end())).toEqual([`S465 ${at("0/itemStep")}`]);
  });

  it("has no next, and an edge of an item step does not put another one on the main path", () => {
    expect(
      check(map("m", "one", "n"), map("n", "two", "done"), agent("one", "two"), agent("two", "one"), end()),
    ).toEqual([`S464 ${at("2/next")}`, `S464 ${at("3/next")}`]);
  });

  it("is of a kind that can be repeated", () => {
    expect(check(map("m", "each", "done"), end("each"), end())).toEqual([`S464 ${at("1/kind")}`]);
  });

  it("belongs to one map", () => {
    expect(check(map("m", "each", "n"), map("n", "each", "done"), agent("each"), end())).toEqual([
      `S465 ${at("1/itemStep")}`,
    ]);
  });

  it("with a mistyped id is one fault", () => {
    expect(check(map("m", "eahc", "done"), agent("each"), end())).toEqual([`G502 ${at("0/itemStep")}`]);
  });
});

describe("the end", () => {
  it("must exist", () => {
    expect(check(agent("a", "b"), { id: "b", kind: "wait", duration: "1h" })).toEqual([
      "G505 /playbook/steps",
    ]);
  });

  it("is not missed while the kind of a step is unknown or a step cannot be read", () => {
    expect(check(agent("a", "b"), { id: "b", kind: "terminate" })).toEqual([]);
    expect(check(agent("a", "b"), "b")).not.toContain("G505 /playbook/steps");
  });

  it("is not the item step of a map", () => {
    expect(check(map("m", "each", "a"), end("each"), agent("a"))).toContain("G505 /playbook/steps");
  });
});

it("warns when every run begins by standing still", () => {
  expect(check(gate("gate", "done"), end())).toEqual([`G507 ${at("0")}`]);
  expect(check({ id: "w", kind: "wait", next: "done" }, end())).toEqual([`G507 ${at("0")}`]);
});

describe("random graphs", () => {
  const steps = (document: unknown) => {
    const list = (jsonOf(document).playbook as { steps: Record<string, Json>[] }).steps;
    return new Map(list.map((step, index) => [String(step.id), { step, index }]));
  };

  it("that are valid have no finding", () => {
    fc.assert(
      fc.property(documents({ maxSteps: 30 }), (document) => {
        expect(found(checkGraph, document)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it("with one edge turned back have a circle through that edge", () => {
    fc.assert(
      fc.property(documents(), fc.nat(), (document, choice) => {
        const copy = jsonOf(document);
        const path = pathOf(copy, choice);
        const [from, back] = [path.at(-2), path[choice % (path.length - 1)]];
        fc.pre(from !== undefined && back !== undefined);
        turn(copy, from as string, back as string);
        const circles = findingsOf(checkGraph, copy).filter(({ code }) => code === "G503");
        expect(circles.length).toBeGreaterThan(0);
        const closed = circles.some(({ cycle = [] }) =>
          cycle.some((id, index) => id === from && cycle[index + 1] === back),
        );
        expect(closed).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it("with one step more have it unreachable, and nothing else", () => {
    fc.assert(
      fc.property(documents(), fc.nat(), (document, choice) => {
        const copy = jsonOf(document);
        const ids = [...steps(copy).keys()].filter((id) => !id.endsWith("_item"));
        const next = ids[choice % ids.length];
        const list = (copy.playbook as { steps: Json[] }).steps;
        list.push({ id: "orphan", kind: "wait", duration: "1h", next: next ?? "" });
        expect(found(checkGraph, copy)).toEqual([`G504 ${at(String(list.length - 1))}`]);
      }),
      { numRuns: 500 },
    );
  });

  it("with one edge to nowhere have exactly that edge reported", () => {
    fc.assert(
      fc.property(documents(), fc.nat(), (document, choice) => {
        const copy = jsonOf(document);
        const edges = [...steps(copy).values()].filter(({ step }) => typeof step.next === "string");
        fc.pre(edges.length > 0);
        const edge = edges[choice % edges.length];
        if (edge) edge.step.next = "nowhere-at-all";
        const list = (copy.playbook as { steps: Json[] }).steps;
        if (edge) list[edge.index] = edge.step;
        expect(found(checkGraph, copy)).toEqual([`G502 ${at(`${edge?.index}/next`)}`]);
      }),
      { numRuns: 1000 },
    );
  });
});

/** A path from the entry to a terminator. */
function pathOf(document: Record<string, Json>, choice: number): string[] {
  const list = (document.playbook as { steps: Record<string, Json>[] }).steps;
  const byId = new Map(list.map((step) => [String(step.id), step]));
  const path: string[] = [];
  for (let step = list[0]; step; ) {
    path.push(String(step.id));
    const branches = (step.branches ?? []) as { next: string }[];
    const targets = [step.next, step.default, ...branches.map(({ next }) => next)].filter(
      (target) => typeof target === "string",
    );
    step = byId.get(targets[choice % targets.length] ?? "");
  }
  return path;
}

/** Lets an edge of this step lead to that one. */
function turn(document: Record<string, Json>, from: string, to: string): void {
  const list = (document.playbook as { steps: Record<string, Json>[] }).steps;
  const step = list.find(({ id }) => id === from);
  if (step?.kind === "decision") step.default = to;
  else if (step) step.next = to;
}
