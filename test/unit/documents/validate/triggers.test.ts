/** Triggers: kinds, filters, schedules, and playbooks that wait for each other. */
import { describe, expect, it } from "vitest";
import type { PlaybookDocument } from "../../../../src/documents/model";
import { type ValidateOptions, validateDocument } from "../../../../src/documents/validate";
import { edited, findingsWith } from "../support/documents";

const T = "/playbook/triggers";
const withTriggers = (triggers: unknown[], options?: Partial<ValidateOptions>) =>
  findingsWith({ [T]: triggers }, options);
const schedule = (cron: unknown, more: object = {}) => ({ kind: "schedule", cron, ...more });

describe("triggers", () => {
  it("may be none, with a warning", () => {
    expect(withTriggers([])).toEqual([`?T303 ${T}`]);
    expect(findingsWith({ [T]: undefined })).toEqual(["?T303 /playbook"]);
    expect(findingsWith({ [T]: 5 })).toEqual([`E110 ${T}`]);
  });

  it.each<[string, object, object, boolean]>([
    [
      "the same webhook",
      { kind: "webhook", source: "s", event: "e" },
      { kind: "webhook", source: "s", event: "e", id: "x", input: { a: 1 } },
      true,
    ],
    [
      "webhooks of other events",
      { kind: "webhook", source: "s", event: "e" },
      { kind: "webhook", source: "s", event: "f" },
      false,
    ],
    [
      "webhooks of other filters",
      {
        kind: "webhook",
        source: "s",
        event: "e",
        filters: [{ path: "/a", type: "number", op: "gt", value: 1 }],
      },
      {
        kind: "webhook",
        source: "s",
        event: "e",
        filters: [{ path: "/a", type: "number", op: "lte", value: 1 }],
      },
      false,
    ],
    [
      "no filters and an empty list",
      { kind: "webhook", source: "s", event: "e" },
      { kind: "webhook", source: "s", event: "e", filters: [] },
      true,
    ],
    ["two by hand", { kind: "manual" }, { kind: "manual", roles: ["x"] }, true],
    ["UTC named and meant", schedule("0 9 * * *"), schedule("0 9 * * *", { timezone: "UTC" }), true],
    [
      "schedules of other zones",
      schedule("0 9 * * *"),
      schedule("0 9 * * *", { timezone: "Asia/Tokyo" }),
      false,
    ],
    [
      "completed named and meant",
      { kind: "dependency", playbookId: "a" },
      { kind: "dependency", playbookId: "a", on: ["completed"] },
      true,
    ],
    [
      "dependencies on other ends",
      { kind: "dependency", playbookId: "a" },
      { kind: "dependency", playbookId: "a", on: ["failed"] },
      false,
    ],
    [
      "findings of other roles",
      { kind: "agent_finding", role: "a" },
      { kind: "agent_finding", role: "b" },
      false,
    ],
  ])("%s", (_, first, second, isDuplicate) => {
    expect(withTriggers([first, second])).toEqual(isDuplicate ? [`T302 ${T}/1`] : []);
  });

  it("of one id are one too many", () => {
    expect(withTriggers([{ kind: "manual", id: "a" }, schedule("0 9 * * *", { id: "a" })])).toEqual([
      `T302 ${T}/1/id`,
    ]);
  });

  it("of an unknown kind give one finding each", () => {
    expect(
      withTriggers([
        { kind: "cron", cron: 5 },
        { kind: "cron", cron: 5 },
      ]),
    ).toEqual([`T301 ${T}/0/kind`, `T301 ${T}/1/kind`]);
  });

  it("by findings of everybody are a warning", () => {
    expect(withTriggers([{ kind: "agent_finding" }])).toEqual([`?T341 ${T}/0`]);
    expect(withTriggers([{ kind: "agent_finding", minSeverity: "high" }])).toEqual([]);
    expect(withTriggers([{ kind: "agent_finding", minSeverity: "urgent" }])).toEqual([
      `E111 ${T}/0/minSeverity`,
    ]);
  });

  it("by hand have a schema that can be used", () => {
    expect(withTriggers([{ kind: "manual", inputSchema: { maxLenght: 5 } }])).toEqual([
      `T351 ${T}/0/inputSchema/maxLenght`,
    ]);
    expect(withTriggers([{ kind: "manual", inputSchema: [] }])).toEqual([`T351 ${T}/0/inputSchema`]);
  });
});

describe("filters", () => {
  const withFilter = (filter: object) =>
    withTriggers([
      {
        kind: "webhook",
        source: "s",
        event: "e",
        filters: [{ path: "/a", type: "string", op: "eq", value: "x", ...filter }],
      },
    ]);
  const F = `${T}/0/filters/0`;
  it.each<[object, string[]]>([
    [{}, []],
    [{ path: "" }, []],
    [{ path: "/a~1b" }, []],
    [{ path: "a" }, [`T322 ${F}/path`]],
    [{ path: "/a~2" }, [`T322 ${F}/path`]],
    [{ op: "gt" }, [`T323 ${F}/op`]],
    [{ type: "boolean", op: "lte", value: true }, [`T323 ${F}/op`]],
    [{ type: "number", op: "prefix", value: 5 }, [`T323 ${F}/op`]],
    [{ type: "number", op: "contains", value: 5 }, [`T323 ${F}/op`]],
    [{ type: "number", op: "gt", value: 5 }, []],
    [{ type: "number", value: "5" }, [`T323 ${F}/value`]],
    [{ type: "timestamp", op: "lt", value: "2026-01-01T00:00:00Z" }, []],
    [{ type: "timestamp", value: "yesterday" }, [`T323 ${F}/value`]],
    [{ type: "timestamp", value: 5 }, [`T323 ${F}/value`]],
    [{ op: "in" }, [`T323 ${F}/value`]],
    [{ op: "in", value: ["x", 5] }, [`T323 ${F}/value/1`]],
    [{ op: "nin", value: ["x"] }, []],
    [{ op: "eq", value: ["x"] }, [`T323 ${F}/value`]],
    [{ value: undefined }, [`T323 ${F}`]],
    [{ op: "exists" }, [`T323 ${F}/value`]],
    [{ op: "absent", value: undefined }, []],
    [{ type: "null", value: null }, []],
    [{ type: "null", value: undefined }, []],
    [{ type: "null", value: 0 }, [`T323 ${F}/value`]],
    [{ type: "text" }, [`E111 ${F}/type`]],
    [{ op: "matches" }, [`E111 ${F}/op`]],
  ])("with %j give %j", (filter, findings) => {
    expect(withFilter(filter)).toEqual(findings);
  });

  it("are at most twenty", () => {
    const filters = (count: number) =>
      Array.from({ length: count }, () => ({ path: "/a", type: "null", op: "exists" }));
    const found = (count: number) =>
      withTriggers([{ kind: "webhook", source: "s", event: "e", filters: filters(count) }]);
    expect(found(20)).toEqual([]);
    expect(found(21)).toEqual([`T324 ${T}/0/filters`]);
  });
});

describe("schedules", () => {
  it.each<[unknown, object, string[]]>([
    ["30 9 * * 1", {}, []],
    ["0 0 30 2 *", {}, [`T312 ${T}/0/cron`]],
    ["0 0 29 2 *", {}, []],
    ["* * * * * *", {}, [`T311 ${T}/0/cron`]],
    ["@daily", {}, [`T311 ${T}/0/cron`]],
    ["H 9 * * *", {}, [`T311 ${T}/0/cron`]],
    [5, {}, [`E110 ${T}/0/cron`]],
    ["30 9 * * 1", { timezone: "Mars/Base" }, [`T313 ${T}/0/timezone`]],
    ["30 9 * * 1", { timezone: "" }, [`T313 ${T}/0/timezone`]],
    ["30 9 * * 1", { timezone: "+01:00" }, [`T313 ${T}/0/timezone`]],
    ["30 1 * * *", { timezone: "Europe/London" }, [`?T315 ${T}/0/cron`]],
    ["*/15 * * * *", { timezone: "Europe/London" }, []],
    ["30 1 * * *", { timezone: "Asia/Tokyo" }, []],
    ["30 1 * * *", { timezone: "Nope" }, [`T313 ${T}/0/timezone`]],
  ])("%j with %j give %j", (cron, more, findings) => {
    expect(withTriggers([schedule(cron, more)])).toEqual(findings);
  });

  it("must pause as long as the platform wants", () => {
    expect(withTriggers([schedule("*/5 * * * *")], { cronMinGapSeconds: 600 })).toEqual([`T314 ${T}/0/cron`]);
    expect(withTriggers([schedule("*/10 * * * *")], { cronMinGapSeconds: 600 })).toEqual([]);
    expect(withTriggers([schedule("* * * * *")])).toEqual([]);
    expect(withTriggers([schedule("* * * * *")], { cronMinGapSeconds: 1 })).toEqual([]);
  });

  it("are warned of changes of the clocks from the given instant on", () => {
    const { findings } = validateDocument(
      { value: edited({ [T]: [schedule("30 1 * * *", { timezone: "Europe/London" })] }) },
      { mode: "publish", nowMs: Date.UTC(2030, 5, 1) },
    );
    expect(findings[0]?.message).toBe(
      "2030-10-27 01:00 in Europe/London comes twice: the clocks go back, and it fires the first time only.".replace(
        "01:00",
        "01:30",
      ),
    );
  });
});

describe("dependencies", () => {
  const id = (letter: string) => `plb_${letter.repeat(26)}`;
  const playbook = (letter: string, ...waitsFor: string[]): PlaybookDocument => {
    const { document } = validateDocument(
      {
        value: edited({
          "/playbook/playbookId": id(letter),
          "/playbook/manifest/id": id(letter),
          "/playbook/manifest/slug": `slug-${letter.toLowerCase()}`,
          [T]: waitsFor.map((playbookId) => ({ kind: "dependency", playbookId })),
        }),
      },
      { mode: "publish" },
    );
    if (!document) throw new Error("It can be read.");
    return document;
  };
  const told = (document: PlaybookDocument, others?: PlaybookDocument[]) =>
    validateDocument({ value: document }, { mode: "publish", ...(others ? { others } : {}) })
      .findings.filter(({ code }) => code !== "T303")
      .map(({ code, path, message }) => `${code} ${path} ${message}`);

  it("on itself are refused, by id and by slug", () => {
    for (const self of [id("A"), "slug-a"]) {
      expect(told(playbook("A", self))).toEqual([`T331 ${T}/0/playbookId The playbook waits for itself.`]);
    }
  });

  it("on nobody are a warning, where the others are known", () => {
    expect(told(playbook("A", "nope"))).toEqual([]);
    expect(told(playbook("A", "nope"), [])).toEqual([
      `T333 ${T}/0/playbookId No published playbook is called "nope".`,
    ]);
    expect(told(playbook("A", "slug-b"), [playbook("B")])).toEqual([]);
  });

  it("in a circle are refused, of two and of more", () => {
    expect(told(playbook("B", id("A")), [playbook("A", "slug-b")])).toEqual([
      `T332 ${T}/0/playbookId Playbooks wait for each other: slug-b > slug-a > slug-b.`,
    ]);
    expect(told(playbook("C", id("A")), [playbook("B", id("C")), playbook("A", "slug-b")])).toEqual([
      `T332 ${T}/0/playbookId Playbooks wait for each other: slug-c > slug-a > slug-b > slug-c.`,
    ]);
  });

  it("that meet again are no circle, and a circle of others is not this one's fault", () => {
    const others = [playbook("B", id("D")), playbook("C", id("D")), playbook("D")];
    expect(told(playbook("A", id("B"), id("C")), others)).toEqual([]);
    expect(told(playbook("A", id("B")), [playbook("B", id("C")), playbook("C", id("B"))])).toEqual([]);
  });

  it("of an earlier version of the same playbook do not count", () => {
    const old = playbook("A", id("B"));
    old.playbook.version = "0.9.0";
    expect(told(playbook("A", id("C")), [old, playbook("B"), playbook("C", id("B"))])).toEqual([]);
    expect(told(playbook("B", id("C")), [old, playbook("C")])).toEqual([]);
  });
});
