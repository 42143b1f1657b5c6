import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mermaidOf } from "../../../src/documents/graph";
import type { PlaybookDocument } from "../../../src/documents/model";
import { documentOf, documents } from "./support/graphs";
import { jsonOf, withSteps } from "./support/passes";

/** What is given may be no document at all. */
const draw = (value: unknown): string => mermaidOf(value as PlaybookDocument);
const lines = (...steps: unknown[]): string[] =>
  draw(withSteps(steps))
    .split("\n")
    .map((line) => line.trim());

const end = { id: "done", kind: "terminator", reason: "Sent." };

/**
 * The part of Mermaid's grammar that drawings use: every line is one of these statements, and a quoted label holds
 * nothing but letters, digits, a few signs, entities and `<br/>`.
 */
const LABEL = String.raw`"(?:[\p{L}\p{M}\p{N} ,._]|#\d+;|<br\/>)+"`;
const SHAPES = [
  [String.raw`\(`, String.raw`\)`],
  [String.raw`\[\[`, String.raw`\]\]`],
  [String.raw`\{`, String.raw`\}`],
  [String.raw`\{\{`, String.raw`\}\}`],
  [String.raw`\[\/`, String.raw`\/\]`],
  [String.raw`\[\/`, String.raw`\\\]`],
  [String.raw`\(\[`, String.raw`\]\)`],
  [String.raw`\(\(`, String.raw`\)\)`],
  [String.raw`\[`, String.raw`\]`],
].map(([open, close]) => `${open}${LABEL}${close}`);
const NAME = "[a-z]+[0-9]*[a-z]*";
const STATEMENT = new RegExp(
  `^(?:flowchart TD|  ${NAME}(?:${SHAPES.join("|")})|  ${NAME} (?:-->|-\\.->)(?:\\|${LABEL}\\|)? ${NAME}|  subgraph ${NAME}\\[${LABEL}\\]|    ${NAME}(?:${SHAPES.join("|")})|  end|)$`,
  "u",
);
const isWellFormed = (drawing: string): boolean =>
  drawing.split("\n").every((line) => STATEMENT.test(line)) &&
  drawing.match(/^ {2}subgraph /gm)?.length === drawing.match(/^ {2}end$/gm)?.length;

describe("a drawing", () => {
  it("has a shape for each kind, and edges with what they are taken for", () => {
    const drawn = lines(
      { id: "draft", kind: "agent", role: "support", next: "pick" },
      {
        id: "pick",
        kind: "decision",
        branches: [
          { when: "trigger.n > 1", next: "send" },
          { when: "true", label: "big", next: "gate" },
        ],
        default: "nap",
      },
      { id: "send", kind: "tool", tool: "mail", next: "gate" },
      { id: "nap", kind: "wait", duration: "1h", next: "gate" },
      {
        id: "gate",
        kind: "approval",
        approver: "operator",
        timeout: "7d",
        onTimeout: "cancel",
        next: "done",
      },
      end,
    );
    expect(drawn).toEqual([
      "flowchart TD",
      'start((" "))',
      'step0("draft<br/>agent support")',
      'step1{"pick<br/>decision"}',
      'step2[["send<br/>tool mail"]]',
      'step3{{"nap<br/>wait 1h"}}',
      'step4[/"gate<br/>approval by operator<br/>within 7d"\\]',
      'step5(["done<br/>completed<br/>Sent#46;"])',
      'cancelled(["run cancelled"])',
      "start --> step0",
      "step0 --> step1",
      'step1 -->|"trigger.n #62; 1"| step2',
      'step1 -->|"big"| step4',
      'step1 -->|"default"| step3',
      "step2 --> step4",
      "step3 --> step4",
      'step4 -->|"approved"| step5',
      'step4 -.->|"rejected"| cancelled',
      'step4 -.->|"expired"| cancelled',
      "",
    ]);
  });

  it("follows a rejection and ends a wait that timed out", () => {
    const drawn = lines(
      { id: "w", kind: "wait", condition: "has(signals.go)", timeout: "6h", onTimeout: "fail", next: "gate" },
      {
        id: "gate",
        kind: "approval",
        approver: { roles: ["lead"], users: ["u1"] },
        onTimeout: "fail",
        next: "done",
        onReject: "done",
      },
      end,
    );
    expect(drawn).toContain('step0 -.->|"timed out"| failed');
    expect(drawn).toContain('step1 -->|"rejected"| step2');
    expect(drawn).toContain('step1[/"gate<br/>approval by lead, u1<br/>within #63;"\\]');
    expect(drawn).not.toContain('cancelled(["run cancelled"])');
  });

  it("puts the item step of a map in a frame, written inside or named, and a playbook as well", () => {
    const map = (id: string, target: object, next: string) => ({
      id,
      kind: "map",
      items: "trigger.list",
      ...target,
      next,
    });
    const drawn = lines(
      map("a", { itemStep: { id: "one", kind: "tool", tool: "mail" } }, "b"),
      map("b", { itemStep: "two" }, "c"),
      { id: "two", kind: "wait", until: "2026-01-01T00:00:00Z" },
      map("c", { itemPlaybook: "plb_X" }, "done"),
      end,
    ).join("\n");
    expect(drawn).toContain('subgraph step0each["each of trigger.list"]\nstep1[["one<br/>tool mail"]]\nend');
    expect(drawn).toContain(
      'subgraph step2each["each of trigger.list"]\nstep3{{"two<br/>wait until<br/>2026#45;01#45;01T00#58;00#58;00Z"}}\nend',
    );
    expect(drawn).toContain('step4playbook[["plb_X<br/>playbook"]]');
    expect(drawn.match(/\|"each"\|/g)).toHaveLength(3);
  });

  it("leads an edge that names no step, or is missing, to a question mark of its own", () => {
    const drawn = lines(
      { id: "a", kind: "agent", next: "nope" },
      { id: "b", kind: "tool" },
      { id: "c", kind: "magic" },
    );
    expect(drawn).toContain('unknown0(("#63;<br/>nope"))');
    expect(drawn).toContain("step0 --> unknown0");
    expect(drawn).toContain('unknown1(("#63;"))');
    expect(drawn).toContain("step1 --> unknown1");
    expect(drawn).toContain('step2["c<br/>magic"]');
  });

  it("is empty for what has no steps, and never throws", () => {
    for (const value of [
      null,
      undefined,
      7,
      [],
      {},
      { playbook: null },
      withSteps([]),
      withSteps("x"),
      withSteps([null, 1]),
    ])
      expect(draw(value)).toBe("flowchart TD\n");
  });
});

describe("texts of a document", () => {
  const hostile = [
    'x"]; click step0 "javascript:alert(1)"',
    "a\nend\nclick step0 href",
    "%%{init: {'theme':'dark'}}%%",
    "%% comment",
    "---\ntitle: x\n---",
    "<script>alert(1)</script>",
    "`**bold**`",
    "#quot;#34;&quot;",
    "style: x#1;",
    "classDef a:b#c;",
    "|pipe| --> step9",
    "1. list",
    "_it_ __bo__",
    "\u2028\u2029\u0000\u202e",
    "🙂 شكرا ünïcödé",
    "end",
    "",
  ];

  it("cannot leave their labels", () => {
    for (const text of hostile) {
      const drawing = draw(
        withSteps([
          {
            id: text,
            kind: "decision",
            branches: [
              { when: text, next: text },
              { when: "x", label: text, next: "done" },
            ],
            default: text,
          },
          { id: `m${text}`, kind: "map", items: text, itemPlaybook: text, next: text },
          { id: `n${text}`, kind: "approval", approver: text, timeout: text, onTimeout: text, next: "done" },
          { id: `o${text}`, kind: text },
          { ...end, reason: text, outcome: text },
        ]),
      );
      expect(drawing.split("\n").filter((line) => !STATEMENT.test(line))).toEqual([]);
      expect(drawing).not.toMatch(/%%|^ *click|<script|javascript:/im);
    }
  });

  it("are cut where they are long", () => {
    const longest = Math.max(...lines({ ...end, reason: "word ".repeat(9999) }).map((line) => line.length));
    expect(longest).toBeLessThan(120);
  });

  it("keep to the grammar whatever they are", () => {
    fc.assert(
      fc.property(
        documents({ maxSteps: 6 }),
        fc.string({ unit: "binary" }),
        fc.string({ unit: "grapheme" }),
        (document, a, b) => {
          const text = JSON.stringify(jsonOf(document))
            .replaceAll('"operator"', JSON.stringify(a))
            .replaceAll('"support"', JSON.stringify(b));
          expect(isWellFormed(draw(JSON.parse(text)))).toBe(true);
        },
      ),
    );
  });
});

describe("drawings of random graphs", () => {
  it("have a node for every step and an edge for every edge", () => {
    fc.assert(
      fc.property(documents({ maxSteps: 20 }), (document) => {
        const drawing = draw(document);
        expect(isWellFormed(drawing)).toBe(true);
        const { steps } = document.playbook;
        const inside = steps.filter((step) => step.kind === "map" && typeof step.itemStep === "object");
        expect(drawing.match(/^ +step\d+[([{]/gm)).toHaveLength(steps.length + inside.length);
        const named = new Set(steps.flatMap((step) => (step.kind === "map" ? [step.itemStep] : [])));
        const edges = steps.flatMap((step) => {
          if (step.kind === "decision") return [...step.branches.map(({ next }) => next), step.default];
          if (step.kind === "terminator" || named.has(step.id)) return [];
          return step.kind === "approval" && step.onReject !== undefined
            ? [step.next, step.onReject]
            : [step.next];
        });
        expect(drawing.match(/ --?>(?:\|.*\|)? step\d+$/gm)).toHaveLength(edges.length + 1);
      }),
      { numRuns: 300 },
    );
  });

  it("are the same for the same document", () => {
    const document = documentOf([{ id: "done", kind: "terminator", reason: "x" }]);
    expect(draw(document)).toBe(draw(jsonOf(document)));
  });
});
