/**
 * The whole loop with a model behind it, over both wire formats: gate → extraction → review → consolidation →
 * synthesis → approval → context, with an answer that a repair mends and one that becomes a dead letter.
 */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Asked, modelOnWire, type Wire, wireNames } from "../../support/model-wire";
import { testServices } from "../../support/services";
import { aggregate, clientOf, drain, newTenant, VERSION } from "./loop";

const START_MS = 1_800_000_000_000;
const LESSON = {
  trigger: "Packing glass jars for a parcel",
  content: "Wrap every jar in two layers of paper before it goes into the box.",
  rationale: "The customer got broken jars and asked for more paper.",
};
const REVISED = {
  ...LESSON,
  content:
    "Wrap every jar in three layers of paper before it goes into the box, and mark the box as fragile.",
};
const TOLD =
  "Two layers of paper round every jar from now on, and then into the box, when you are packing glass jars.";
const RETOLD = "Make it three layers of paper for the jars, and mark the box as fragile.";
const POISON = "The jars of this one break the model.";

/** The label under which a prompt shows the turn that says `words`; turns stand in order. */
function labelOf({ shown }: Asked, words: string): string {
  const before = shown.slice(0, shown.indexOf(words));
  return [...before.matchAll(/\bT\d+\b/g)].at(-1)?.[0] ?? "";
}

const extracted = (rule: typeof LESSON, ref: string) =>
  JSON.stringify({ playbooks: [{ ...rule, evidence_kind: "correction", evidence_refs: [ref] }] });

interface Mood {
  /** Whether the poisoned turns make the model fail. */
  isBroken: boolean;
}

/** A model that reads the lesson, is wrong once, and cannot cope with poisoned turns. */
function answerTo(asked: Asked, mood: Mood): string | number {
  switch (asked.task) {
    case "shouldExtract":
      return "true: the customer corrected the agent";
    case "extract":
      if (asked.shown.includes(POISON)) return mood.isBroken ? "I would rather not." : '{"playbooks": []}';
      if (asked.shown.includes(RETOLD)) return extracted(REVISED, labelOf(asked, RETOLD));
      // A turn that does not exist: the pipeline sends the answer back.
      return extracted(LESSON, asked.isRepair ? labelOf(asked, TOLD) : "T99");
    case "reviewCandidates":
      return JSON.stringify({
        decisions: [
          {
            candidate_id: "C1",
            reason: "The turn says so.",
            decision: "accept",
            reason_code: "grounded_useful",
            evidence_ids: ["C1-E1"],
            revision: null,
          },
        ],
      });
    case "consolidate":
      return `Here is my decision.\n${JSON.stringify({
        decisions: [{ kind: "unify", new_ids: ["NEW-1"], archive_existing_ids: ["EXISTING-1"], ...REVISED }],
      })}`;
    case "synthesise":
      return JSON.stringify({ playbook: { ...REVISED, rationale: "Two customers asked for it." } });
  }
}

const published = z.object({ request_id: z.string() });
const rules = z.object({
  user_playbooks: z.array(
    z.object({ content: z.string(), status: z.string().nullish(), source_interaction_ids: z.array(z.int()) }),
  ),
});
const agentRules = z.object({
  agent_playbooks: z.array(
    z.object({ agent_playbook_id: z.int(), content: z.string(), playbook_metadata: z.string() }),
  ),
});
const letters = z.object({
  dead_letters: z.array(z.object({ dead_letter_id: z.string(), reason: z.string(), message: z.string() })),
});

async function world(wire: Wire) {
  const mood: Mood = { isBroken: true };
  const { reasoner, asked, model } = modelOnWire(wire, (question) => answerTo(question, mood));
  const clock = { nowMs: START_MS };
  const services = testServices({ clock: { nowMs: () => clock.nowMs }, reasoner: () => reasoner });
  const tenant = await newTenant(`model-${wire}`);
  const call = clientOf(services, tenant);
  let requests = 0;
  return {
    mood,
    asked,
    model,
    call,
    settle: () => drain(services, clock, tenant, (messages) => messages),
    aggregate: () => aggregate(services, clock, tenant),
    async publish(userId: string, said: string, extra: object = {}) {
      requests += 1;
      const small = Array.from({ length: 4 }, (_, at) => [
        { role: "User", content: `Is parcel ${at} on its way?` },
        { role: "Assistant", content: "It is." },
      ]).flat();
      const answer = await call("POST", "/api/publish_interaction", {
        user_id: userId,
        session_id: `${userId}-${requests}`,
        agent_version: VERSION,
        interaction_data_list: [
          ...small,
          { role: "Assistant", content: "The jars are packed in one layer of paper." },
          { role: "User", content: said },
        ],
        ...extra,
      });
      return published.parse(answer).request_id;
    },
    tasks: () => asked.map(({ task, isRepair }) => (isRepair ? `${task}, repaired` : task)),
    rulesOf: async (userId: string) =>
      rules.parse(await call("POST", "/api/get_user_playbooks", { user_id: userId })).user_playbooks,
    statusOf: (requestId: string) => call("GET", `/api/learning_status?request_id=${requestId}`, undefined),
  };
}

describe.each(wireNames)("the loop with a model that speaks %s", (wire) => {
  it("goes from turns to an approved rule in a prompt, one repair on the way", async () => {
    const {
      asked,
      model,
      call,
      settle,
      publish,
      tasks,
      rulesOf,
      statusOf,
      aggregate: turn,
    } = await world(wire);
    const first = await publish("uma", TOLD);
    await settle();
    expect(tasks()).toEqual(["shouldExtract", "extract", "extract, repaired", "reviewCandidates"]);
    expect(asked.find(({ isRepair }) => isRepair)?.shown).toMatch(/unknown_turn/);
    expect(await rulesOf("uma")).toMatchObject([{ content: LESSON.content, source_interaction_ids: [10] }]);
    expect(await statusOf(first)).toEqual({ status: "done", reason: "covered" });

    asked.length = 0;
    await publish("uma", RETOLD, { force_extraction: true });
    await settle();
    // Forced: no gate. Eight new turns first, then the barrier's rest.
    expect(tasks().filter((task) => task === "consolidate")).toHaveLength(1);
    expect(tasks()).not.toContain("shouldExtract");
    expect(await rulesOf("uma")).toMatchObject([{ content: REVISED.content }]);

    asked.length = 0;
    await publish("vic", TOLD);
    await settle();
    await turn();
    await settle();
    expect(tasks().at(-1)).toBe("synthesise");
    const { agent_playbooks: pending } = agentRules.parse(
      await call("POST", "/api/get_agent_playbooks", { agent_version: VERSION }),
    );
    expect(pending).toMatchObject([{ content: REVISED.content }]);
    expect(JSON.parse(pending[0]?.playbook_metadata ?? "")).toMatchObject({
      distinct_users: 2,
      provider: wire,
      model,
    });

    const ask = () =>
      call("POST", "/api/context", { query: "Pack the glass jars into a parcel", agent_version: VERSION });
    expect((await ask()).context).toBe("");
    await call("PUT", "/api/update_agent_playbook_status", {
      agent_playbook_id: pending[0]?.agent_playbook_id,
      playbook_status: "approved",
    });
    await settle();
    expect((await ask()).context).toContain("three layers of paper");
  });

  it("ends an answer that stays unusable as a dead letter, and learns from it when it is replayed", async () => {
    const { mood, call, settle, publish, tasks, rulesOf, statusOf } = await world(wire);
    const request = await publish("wes", POISON, { force_extraction: true });
    await settle();
    expect(tasks()).toEqual(["extract", "extract, repaired"]);
    expect(await statusOf(request)).toEqual({ status: "failed", reason: "dead_letter" });
    const { dead_letters: dead } = letters.parse(await call("GET", "/api/dead_letters", undefined));
    expect(dead).toMatchObject([{ reason: "no_json" }]);
    expect(JSON.stringify(dead)).not.toContain("rather not");

    mood.isBroken = false;
    await call("POST", `/api/dead_letters/${dead[0]?.dead_letter_id}/replay`, {});
    await settle();
    expect(await statusOf(request)).toEqual({ status: "done", reason: "covered" });
    expect(await rulesOf("wes")).toEqual([]);
  });
});
