/** Operations as bars, and faults in words. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { noCounts } from "../../../src/aggregation/model";
import { subjectOf } from "../../../src/dashboard/dead-letters/subject";
import { faultInWords, lastingFault } from "../../../src/dashboard/fault-words";
import { progressOf } from "../../../src/dashboard/learning/operation-progress";
import type { DeadLetter } from "../../../src/learning/dead-letter-store";

const counts = { ...noCounts(), user_playbooks_processed: 30, clusters_found: 2, playbooks_generated: 1 };
const operation = {
  ...{ status: "running" as const, counts, error: null, attempts: 1, skipped: null },
  progress: { done: 3, total: 5 },
};

describe("an operation's bar", () => {
  it("is full only at the end", () => {
    expect(progressOf(operation, { untouched: 5, fresh: 5 })).toMatchObject({ done: 3, total: 5 });
    const unplanned = { ...operation, progress: null };
    expect(progressOf(unplanned, { untouched: 5, fresh: 5 })).toMatchObject({ done: 30, total: 40 });
    expect(progressOf(unplanned, { untouched: 0, fresh: 0 })).toMatchObject({ done: 30, total: 31 });
    expect(progressOf(unplanned, undefined)).toMatchObject({ done: 30, total: 31 });
    expect(progressOf({ ...operation, status: "succeeded" }, undefined)).toMatchObject({
      done: 1,
      total: 1,
      tone: "good",
    });
  });

  it("says what was counted", () => {
    expect(progressOf({ ...operation, status: "succeeded" }, undefined).words).toBe(
      "30 rules looked at, 2 clusters found, 1 agent playbook written, 0 rules joined a cluster",
    );
    expect(progressOf({ ...operation, counts: null }, undefined).words).toBe("Its first turn is under way.");
    expect(progressOf({ ...operation, status: "succeeded", skipped: "too_few" }, undefined).words).toBe(
      "There were too few rules to merge.",
    );
  });

  it("says why an operation failed, or waits again", () => {
    const failed = progressOf(
      { ...operation, status: "failed", error: "cap_exceeded", counts: null },
      undefined,
    );
    expect(failed.words).toBe("Failed: this version has more rules than one rebuild may take.");
    expect([failed.tone, failed.done < failed.total]).toEqual(["bad", true]);
    const again = { ...operation, status: "queued" as const, error: "rate_limited", attempts: 2 };
    expect(progressOf(again, undefined).words).toBe(
      "Tried 2 times, and will be again: the model's provider asks for a pause.",
    );
    expect(
      progressOf({ ...again, error: null, attempts: 0, counts: null, progress: null }, undefined),
    ).toEqual({
      done: 0,
      total: 1,
      tone: undefined,
      words: "Waits for its first turn.",
    });
  });
});

describe("faults in words", () => {
  const SRC = resolve(import.meta.dirname, "../../../src");
  const codeFiles = ["platform/reasoner", "learning"].flatMap((folder) =>
    readdirSync(join(SRC, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(join(SRC, folder, file), "utf8")),
  );
  const found = (pattern: RegExp): string[] =>
    codeFiles.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1] ?? ""));

  it("explains every code that buries work, with what to do", () => {
    const thrown = found(/new ReasonerError\(\s*"(?:refused|unusable)",\s*"(\w+)"/g);
    const answers = found(/^ {2}\| "(\w+)"/gm).filter((code) => /empty_answer|json|echo|filter/.test(code));
    const egress = found(/\["(?:refused|unusable)", "(\w+)"\]/g);
    const repaired = found(/"(\w+_invalid)"/g);
    expect([thrown.length, answers.length, egress.length, repaired.length].every((count) => count > 2)).toBe(
      true,
    );
    // It puts the work off until the next day.
    const codes = new Set(
      [...thrown, ...answers, ...egress, ...repaired].filter((code) => code !== "daily_cap"),
    );
    expect([...codes].filter((code) => lastingFault(code) === null)).toEqual([]);
    for (const code of codes) expect(lastingFault(code)?.advice).toMatch(/\.$/);
  });

  it("explains every code that puts work off", () => {
    const codes = new Set([
      ...found(/new ReasonerError\(\s*"transient",\s*"(\w+)"/g),
      ...found(/\["transient", "(\w+)"\]/g),
    ]);
    expect(codes.size).toBeGreaterThan(5);
    expect([...codes].filter((code) => faultInWords(code) === code)).toEqual([]);
  });

  it("leaves a code that nobody knows as it is", () => {
    expect(faultInWords("constructor")).toBe("constructor");
    expect(lastingFault("toString")).toBeNull();
  });
});

describe("what a dead letter was about", () => {
  const letter = (topic: DeadLetter["topic"], key: DeadLetter["key"]): DeadLetter => ({
    deadLetterId: "dead_1",
    topic,
    key,
    reason: "truncated_json",
    message: "",
    attempts: 1,
    createdAt: 1,
    replayedAt: null,
  });
  const window = { windowId: "w", agentVersion: "v", state: "dead", turns: 10, sessionId: "a/b?c=<d>" };

  it("is a conversation, whose address no session id can break out of", () => {
    expect(subjectOf(letter("extraction", ["ada", "playbook", "w"]), window)).toEqual({
      text: "10 turns of a conversation with v.",
      link: { href: "/desk/sessions/a%2Fb%3Fc%3D%3Cd%3E", label: "The conversation" },
    });
  });

  it("is told where its window or its publish is gone", () => {
    expect(subjectOf(letter("extraction", ["ada", "playbook", "w"]), undefined).text).toContain(
      "no longer stored",
    );
    const gone = subjectOf(letter("extraction", ["ada", "playbook", "w"]), { ...window, sessionId: null });
    expect(gone.link).toBeNull();
    const learned = subjectOf(letter("extraction", ["ada", "playbook", "w"]), {
      ...window,
      state: "applied",
    });
    expect(learned.text).toContain("applied since");
  });

  it("is a rule, or some rules of a user, without naming the user", () => {
    expect(subjectOf(letter("vector", ["agent_playbook", 7]), undefined).link?.href).toBe("/?rule=7");
    expect(subjectOf(letter("vector", ["user_playbook", 7]), undefined).link?.href).toBe(
      "/desk/user-playbooks?id=7",
    );
    expect(JSON.stringify(subjectOf(letter("tagging", ["ada", "v"]), undefined))).not.toContain("ada");
    expect(subjectOf(letter("reindex", []), undefined).text).toContain("reindex");
  });
});
