/** Users who overrule what they taught before: the new rule is current, the old one superseded, on recorded answers. */
import { describe, expect, it } from "vitest";
import type { TaskInput, TaskOutput } from "../../src/platform/reasoner/port";
import { type Contradiction, contradictions, MISSING } from "./files";
import { firstSource, readingModel } from "./model";
import { onRecordedAnswers, type ScenarioWorld } from "./world";

const TRIGGER = "Somebody asks for a code review";
const OLD = "Look for security faults before anything else, whatever the code is.";
const NEW =
  "Look for security faults only when the code handles user input or external data, or when asked; else speak of style and correctness.";
/** What the answers turn on: the words by which either batch is known. */
const OVERRULES = /override/i;
const VERSION = "v1";

const saysSo = (turn: { isUserVoice: boolean; content: string }, words: RegExp): boolean =>
  turn.isUserVoice && words.test(turn.content);

function extract({ turns }: TaskInput<"extract">): TaskOutput<"extract"> {
  const overruling = turns.filter((turn) => saysSo(turn, OVERRULES));
  const first = turns.filter((turn) => saysSo(turn, /no exceptions/i));
  const told = (content: string, cited: typeof turns) => ({
    rationale: "The user said so.",
    evidence_kind: "correction",
    trigger: TRIGGER,
    content,
    evidence_refs: cited.map(({ label }) => label),
  });
  if (overruling.length > 0) return { playbooks: [told(NEW, overruling)] };
  return { playbooks: first.length > 0 ? [told(OLD, first)] : [] };
}

/** The new rule takes the old one's place. */
const consolidate = ({ fresh, existing }: TaskInput<"consolidate">): TaskOutput<"consolidate"> => ({
  decisions: fresh.map(({ label, trigger, content, rationale }) => ({
    kind: "unify" as const,
    new_ids: [label],
    archive_existing_ids: existing.map((rule) => rule.label),
    trigger,
    content,
    rationale,
  })),
});

const model = () => readingModel([], { extract, consolidate, synthesise: firstSource });
const TEACHERS = ["ada", "ben"];

/** Where each of the users' rules stands, the oldest first, and whether the old one names its successor. */
async function standingOf(world: ScenarioWorld) {
  const rules = (await world.userRules({ agent_version: VERSION })).toReversed();
  return Promise.all(
    rules.map(async ({ user_playbook_id, user_id, content, status }) => {
      const next = await world.successorOf(user_playbook_id);
      const successor = next?.merged_into ?? next?.superseded_by ?? null;
      return {
        user_id,
        content,
        status: status ?? "current",
        successor: rules.find((rule) => rule.user_playbook_id === successor)?.content ?? null,
      };
    }),
  );
}

async function overrule(world: ScenarioWorld, { batch_1, batch_2 }: Contradiction) {
  for (const user of TEACHERS) await world.publish(user, batch_1, { session_id: `${user}-1` });
  await world.aggregate(VERSION);
  const before = { rules: await standingOf(world), agent: await world.agentRules(VERSION) };
  for (const user of TEACHERS) await world.publish(user, batch_2, { session_id: `${user}-2` });
  await world.aggregate(VERSION);
  return { before, after: { rules: await standingOf(world), agent: await world.agentRules(VERSION) } };
}

const current = (rules: { content: string; status?: string | null | undefined }[]) =>
  rules.filter(({ status }) => status == null || status === "current").map(({ content }) => content);

describe("a scenario in which users overrule an earlier rule", () => {
  it("ends with the new rule current and the old one superseded by it, of each user and of the agent", async (context) => {
    const scenarios = contradictions.filter(({ tests }) => tests.includes("playbooks"));
    if (scenarios.length === 0) return context.skip(MISSING);
    for (const scenario of scenarios) {
      const { before, after } = await onRecordedAnswers(scenario.name, model(), (world) =>
        overrule(world, scenario),
      );
      expect(current(before.rules)).toEqual([OLD, OLD]);
      expect(current(before.agent)).toEqual([OLD]);
      for (const user of TEACHERS) {
        expect(after.rules.filter(({ user_id }) => user_id === user)).toEqual([
          { user_id: user, content: OLD, status: "merged", successor: NEW },
          { user_id: user, content: NEW, status: "current", successor: null },
        ]);
      }
      expect(after.agent.map(({ content, status }) => ({ content, status: status ?? "current" }))).toEqual(
        expect.arrayContaining([
          { content: OLD, status: "superseded" },
          { content: NEW, status: "current" },
        ]),
      );
      expect(current(after.agent)).toEqual([NEW]);
      const [stands = ""] = current(after.agent).map((content) => content.toLowerCase());
      expect(scenario.playbook_must_instruct_any_of.some((phrase) => stands.includes(phrase))).toBe(true);
      for (const phrase of scenario.playbook_must_not_instruct) expect(stands).not.toContain(phrase);
    }
  });

  it("leaves an approved rule of the agent in service until a person approves its successor", async (context) => {
    const [scenario] = contradictions.filter(({ tests }) => tests.includes("playbooks"));
    if (scenario === undefined) return context.skip(MISSING);
    const rules = await onRecordedAnswers(`${scenario.name}, approved`, model(), async (world) => {
      for (const user of TEACHERS) await world.publish(user, scenario.batch_1, { session_id: `${user}-1` });
      await world.aggregate(VERSION);
      for (const { agent_playbook_id } of await world.agentRules(VERSION)) {
        await world.call("PUT", "/api/update_agent_playbook_status", {
          agent_playbook_id,
          playbook_status: "approved",
        });
      }
      for (const user of TEACHERS) await world.publish(user, scenario.batch_2, { session_id: `${user}-2` });
      await world.aggregate(VERSION);
      return world.agentRules(VERSION);
    });
    const standing = rules
      .filter(({ status }) => status == null)
      .map(({ content, playbook_status }) => ({ content, playbook_status }));
    expect(standing).toHaveLength(2);
    expect(standing).toEqual(
      expect.arrayContaining([
        { content: OLD, playbook_status: "approved" },
        { content: NEW, playbook_status: "pending" },
      ]),
    );
  });

  it("teaches no rule where it only tells facts of a user, which are for profiles", async (context) => {
    const facts = contradictions.filter(({ tests }) => !tests.includes("playbooks"));
    if (facts.length === 0) return context.skip(MISSING);
    for (const scenario of facts) {
      const told = await onRecordedAnswers(scenario.name, model(), async (world) => {
        await world.publish("ada", scenario.batch_1);
        await world.publish("ada", scenario.batch_2);
        return { rules: await world.userRules({}), dead: await world.deadLetters() };
      });
      expect(told, scenario.name).toEqual({ rules: [], dead: [] });
    }
  });
});
