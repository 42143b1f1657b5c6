import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admit } from "../../../src/interactions/admission";
import { canonicalJson, nestsTooDeep } from "../../../src/interactions/canonical";
import { type CoverageFacts, coverageOf } from "../../../src/interactions/coverage";
import { DELETION_PAGE, deletionPages } from "../../../src/interactions/deletion-pages";
import { imageUrlFault } from "../../../src/interactions/image-urls";
import { groupSessions } from "../../../src/interactions/views";
import { parseConfig } from "../../../src/orgs/config";

describe("image addresses", () => {
  test.each([
    "https://pictures.example/a.png?x=1",
    "http://example.com:8080/a",
    "data:image/png;base64,aGk=",
  ])("allows %s", (address) => {
    expect(imageUrlFault(address)).toBeNull();
  });

  test.each([
    "ftp://example.com/a",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "/relative.png",
    "http://169.254.169.254/latest/meta-data",
    "http://0xA9FEA9FE/",
    "http://2852039166/",
    "http://0251.0376.0251.0376/",
    "http://169.254.169.254./",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://[fd00:ec2::254]/",
    "http://user:pass@Metadata.Google.Internal/computeMetadata",
    "http://metadata/",
    "http://instance-data.ec2.internal/",
    "http://100.100.100.200/",
  ])("refuses %s", (address) => {
    expect(imageUrlFault(address)).not.toBeNull();
  });
});

describe("admission", () => {
  const config = parseConfig({});
  const only = parseConfig({
    user_playbook_extractor_config: { extraction_definition_prompt: "p", request_sources_enabled: ["web"] },
    profile_extractor_config: { extraction_definition_prompt: "p", manual_trigger: true },
  });
  const input = { config, source: "web", evaluationOnly: false, stalled: false, overrideStall: false };

  test("admits ordinary input to every configured extractor", () => {
    expect(admit(input)).toEqual({ playbook: true, profile: true });
  });
  test("trap 5: never admits evaluation input, not even past a stall", () => {
    expect(admit({ ...input, evaluationOnly: true, overrideStall: true })).toEqual({
      playbook: false,
      profile: false,
    });
  });
  test("trap 4: a stalled org's turns are not admitted unless the publisher overrides it", () => {
    expect(admit({ ...input, stalled: true })).toEqual({ playbook: false, profile: false });
    expect(admit({ ...input, stalled: true, overrideStall: true }).playbook).toBe(true);
  });
  test("takes only enabled sources, and leaves manual extractors alone", () => {
    expect(admit({ ...input, config: only })).toEqual({ playbook: true, profile: false });
    expect(admit({ ...input, config: only, source: "mail" }).playbook).toBe(false);
  });
  test("a switched-off extractor is no candidate", () => {
    expect(admit({ ...input, config: parseConfig({ user_playbook_extractor_config: null }) }).playbook).toBe(
      false,
    );
  });
});

describe("coverage", () => {
  const facts: CoverageFacts = {
    eligible: true,
    lastSeq: 20,
    windowStates: new Set(),
    cursor: { completedSeq: 10, hasWindow: false, attempts: 0, retryAtMs: 0 },
    nowMs: 1_000,
  };
  const cursor = (more: Partial<NonNullable<CoverageFacts["cursor"]>>) => ({
    completedSeq: 10,
    hasWindow: false,
    attempts: 0,
    retryAtMs: 0,
    ...more,
  });

  test.each<[string, Partial<CoverageFacts>, object | string]>([
    ["ineligible input is done", { eligible: false }, { status: "done", reason: "not_applicable" }],
    ["trap 10: erased input is done", { lastSeq: null }, { status: "done", reason: "inputs_erased" }],
    [
      "trap 10: a cursor past the last turn is done, whatever was found",
      { cursor: cursor({ completedSeq: 20 }), windowStates: new Set(["applied"]) },
      { status: "done", reason: "covered" },
    ],
    [
      "a dead window is a failure although the cursor passed it",
      { cursor: cursor({ completedSeq: 20 }), windowStates: new Set(["dead"]) },
      { status: "failed", reason: "dead_letter" },
    ],
    [
      "a replayed window is at work although the cursor passed it",
      { cursor: cursor({ completedSeq: 20 }), windowStates: new Set(["open"]) },
      { status: "processing", reason: "extracting" },
    ],
    [
      "an open window is at work",
      { cursor: cursor({ hasWindow: true }) },
      { status: "processing", reason: "extracting" },
    ],
    [
      "a failed attempt waits for its retry",
      { cursor: cursor({ hasWindow: true, attempts: 1, retryAtMs: 2_000 }) },
      { status: "pending", reason: "retrying" },
    ],
    [
      "a due retry is at work",
      { cursor: cursor({ hasWindow: true, attempts: 1, retryAtMs: 900 }) },
      { status: "processing", reason: "extracting" },
    ],
    ["without a window the selection must say", {}, "undecided"],
    ["without a cursor too", { cursor: null }, "undecided"],
  ])("%s", (_name, more, expected) => {
    expect(coverageOf({ ...facts, ...more })).toEqual(expected);
  });
});

describe("pages of a deletion", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 1_000 }), { maxLength: 30 });
  const requestsOf = (counts: readonly number[]) => {
    let next = 1;
    return counts.map((count, at) => {
      const minSeq = next;
      next += count;
      return { userId: `u${at % 3}`, minSeq, maxSeq: next - 1 };
    });
  };

  test("hold every turn and request once, in order, and never more than a page of rows", () => {
    fc.assert(
      fc.property(sizes, (counts) => {
        const requests = requestsOf(counts);
        const turns: number[] = [];
        const ended: number[] = [];
        for (const page of deletionPages(requests)) {
          let rows = page.requestSeqs.length;
          for (const [, first, last] of page.ranges) {
            for (let seq = first; seq <= last; seq += 1) turns.push(seq);
            rows += last - first + 1;
          }
          expect(rows).toBeLessThanOrEqual(DELETION_PAGE);
          ended.push(...page.requestSeqs);
          expect(Math.max(0, ...ended)).toBeLessThanOrEqual(turns.at(-1) ?? 0);
        }
        expect(turns).toEqual(Array.from({ length: turns.length }, (_, at) => at + 1));
        expect(turns).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
        expect(ended).toEqual(requests.map(({ maxSeq }) => maxSeq));
      }),
    );
  });
});

describe("canonical JSON", () => {
  test("is equal for equal values whatever the order of their keys", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      }),
    );
  });
  test("nesting is measured without recursion", () => {
    let deep: unknown = null;
    for (let level = 0; level < 64; level += 1) deep = { deep };
    expect(nestsTooDeep(deep)).toBe(false);
    expect(nestsTooDeep({ deep })).toBe(true);
  });
});

test("sessions keep the order of their ids, requests and turns", () => {
  const request = (request_id: string, session_id: string) => ({
    request_id,
    session_id,
    user_id: "u",
    created_at: 1,
    source: "",
    agent_version: "v",
    evaluation_only: false,
    retrieval_experiment_id: null,
    retrieval_experiment_arm: null,
  });
  const sessions = groupSessions(["b", "a"], [request("1", "a"), request("2", "b"), request("3", "a")], []);
  expect(
    sessions.map(({ session_id, requests }) => [session_id, ...requests.map((r) => r.request.request_id)]),
  ).toEqual([
    ["b", "2"],
    ["a", "1", "3"],
  ]);
});
