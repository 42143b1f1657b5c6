/** The published conversations through the whole pipeline, on recorded answers. */
import { describe, expect, it } from "vitest";
import { contentOf, MISSING, oracle, payloads, rulesIn, scenarioSessions } from "./files";
import { readingModel } from "./model";
import { onRecordedAnswers } from "./world";

/** Of the nine themes that a reader finds in several users' rules. */
const MIN_THEMES = 6;
/** One version for all, so that rules of different services can meet. */
const ONE_VERSION = "one-version";

it("every scenario has a payload that can be published", (context) => {
  if (scenarioSessions.length === 0) return context.skip(MISSING);
  const published = payloads.map(({ value }) => value.session_id);
  expect(scenarioSessions.toSorted()).toEqual(published.toSorted());
});

describe("a published conversation", () => {
  it("leaves one current rule for each lesson in it, proved by its turns, of its user, version and source", async (context) => {
    if (payloads.length === 0 || oracle === null) return context.skip(MISSING);
    for (const payload of payloads) {
      const { name, value } = payload;
      const expected = rulesIn(name);
      const told = await onRecordedAnswers(name, readingModel([payload]), async (world) => {
        const { user_id, interaction_data_list, ...fields } = value;
        await world.publish(user_id, interaction_data_list, fields);
        const ids = (await world.turnsOf(user_id)).map(({ interaction_id }) => interaction_id);
        const rules = await world.userRules({ user_id });
        return {
          turns: ids.length,
          dead: await world.deadLetters(),
          rules: rules
            .filter(({ status }) => status == null)
            .map((rule) => ({
              content: rule.content,
              trigger: rule.trigger,
              version: rule.agent_version,
              source: rule.source,
              cites: rule.source_interaction_ids.map((id) => ids.indexOf(id)),
            })),
        };
      });
      expect(told.dead, name).toEqual([]);
      expect(told.turns, name).toBe(value.interaction_data_list.length);
      expect(told.rules.map(({ content }) => content).toSorted(), name).toEqual(
        expected.map(({ content }) => content).toSorted(),
      );
      for (const rule of told.rules) {
        const label = expected.find(({ content }) => content === rule.content);
        expect(rule, `${name}: ${rule.content}`).toMatchObject({
          trigger: label?.trigger,
          version: value.agent_version,
          source: value.source,
        });
        expect(rule.cites.length, rule.content).toBeGreaterThan(0);
        expect(label?.evidence_turns, rule.content).toEqual(expect.arrayContaining(rule.cites));
      }
    }
  });

  it("meets the others in rules for the agent that never mix opposites, each from several users", async (context) => {
    if (payloads.length === 0 || oracle === null) return context.skip(MISSING);
    const model = readingModel(payloads);
    const clusters = await onRecordedAnswers("all of them", model, async (world) => {
      for (const { value } of payloads) {
        const { user_id, interaction_data_list, ...fields } = value;
        await world.publish(user_id, interaction_data_list, { ...fields, agent_version: ONE_VERSION });
      }
      await world.aggregate(ONE_VERSION);
      const rules = await world.userRules({ agent_version: ONE_VERSION });
      const made = await world.agentRules(ONE_VERSION);
      expect(made.every(({ playbook_status }) => playbook_status === "pending")).toBe(true);
      return Promise.all(
        made
          .filter(({ status }) => status == null)
          .map(async ({ agent_playbook_id }) => {
            const sources = await world.sourcesOf(agent_playbook_id);
            return rules
              .filter(({ user_playbook_id }) => sources.includes(user_playbook_id))
              .map(({ user_id, content }) => ({ user_id, content }));
          }),
      );
    });
    for (const sources of clusters) {
      expect(new Set(sources.map(({ user_id }) => user_id)).size).toBeGreaterThan(1);
    }
    const met = oracle.aggregation.if_one_version.filter(({ members }) => {
      const told = members.map(contentOf);
      return clusters.some((sources) => sources.filter(({ content }) => told.includes(content)).length > 1);
    });
    expect(met.length).toBeGreaterThanOrEqual(MIN_THEMES);
    for (const { a, b } of oracle.aggregation.must_not_merge) {
      const [left, right] = [a.map(contentOf), b.map(contentOf)];
      for (const sources of clusters) {
        const contents = sources.map(({ content }) => content);
        const mixes =
          contents.some((content) => left.includes(content)) &&
          contents.some((content) => right.includes(content));
        expect(mixes, contents.join(" | ")).toBe(false);
      }
    }
  });
});
