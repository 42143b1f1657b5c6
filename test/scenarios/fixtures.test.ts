/** Answers that a model gave to others' prompts, as they came, and a list of rules without triggers. */
import { describe, expect, it } from "vitest";
import { createOfflineReasoner } from "../../src/platform/reasoner/offline";
import { type AskedTask, modelOnWire, wireNames } from "../support/model-wire";
import { answerOnFile, listedRules, MISSING } from "./files";
import { scenarioWorld } from "./world";

const VERSION = "v1";
const TALK = [
  { role: "User", content: "How does the retry queue work in your library?" },
  { role: "Assistant", content: "It retries." },
  {
    role: "User",
    content: "That is far too vague. Give me more detail when I ask about the implementation.",
  },
];

/** One source row for two users. */
const alike = ["ada", "ben"].map((user_id) => ({
  user_id,
  agent_version: VERSION,
  request_id: `of ${user_id}`,
  trigger: "A user asks how something is implemented",
  content: "Explain it step by step, with code.",
}));

function wired(answers: Partial<Record<AskedTask, string>>, wire: (typeof wireNames)[number]) {
  return modelOnWire(wire, ({ task }) => answers[task] ?? (task === "shouldExtract" ? "true" : 500));
}

describe.each(wireNames)("an answer on file, over %s", (wire) => {
  it("without evidence teaches nothing: it is sent back once, and then the window fails for people to see", async (context) => {
    const onFile = answerOnFile("playbook_extraction");
    if (onFile === null) return context.skip(MISSING);
    const { reasoner, asked } = wired({ extract: onFile }, wire);
    const world = await scenarioWorld(`no evidence, ${wire}`, reasoner);
    await world.publish("ada", TALK);
    expect(await world.userRules({})).toEqual([]);
    const extractions = asked.filter(({ task }) => task === "extract");
    expect(extractions.slice(0, 2).map(({ isRepair }) => isRepair)).toEqual([false, true]);
    expect(await world.deadLetters()).toHaveLength(1);
  });

  it("becomes the agent's rule where it needs no evidence of its own, though it gives no rationale", async (context) => {
    const onFile = answerOnFile("playbook_aggregation");
    if (onFile === null) return context.skip(MISSING);
    const { reasoner } = wired({ synthesise: onFile }, wire);
    const world = await scenarioWorld(`aggregation, ${wire}`, reasoner);
    await world.call("POST", "/api/add_user_playbook", { user_playbooks: alike });
    await world.settle();
    await world.aggregate(VERSION);
    const [rule, ...others] = await world.agentRules(VERSION);
    expect(others).toEqual([]);
    expect(onFile).toContain(rule?.content);
    expect(rule?.playbook_status).toBe("pending");
  });
});

/** The list tells four themes in turn, five rules each. */
const THEME_ROWS = 5;
/** The second and fourth theme praise; the others complain. */
const isPraise = (theme: number): boolean => theme % 2 === 1;

describe("a list of rules without triggers", () => {
  it("trap 75: is clustered by what the rules say, not by equal triggers, and praise never meets complaint", async (context) => {
    if (listedRules.length === 0) return context.skip(MISSING);
    const world = await scenarioWorld("list of rules", createOfflineReasoner());
    await world.call("POST", "/api/add_user_playbook", {
      user_playbooks: listedRules.map((rule) => ({ ...rule, user_id: `user of ${rule.request_id}` })),
    });
    await world.settle();
    const version = listedRules[0]?.agent_version ?? "";
    const stored = await world.userRules({ agent_version: version });
    expect(stored.map(({ content }) => content).toSorted()).toEqual(
      listedRules.map(({ content }) => content).toSorted(),
    );
    await world.aggregate(version);
    const clusters = await Promise.all(
      (await world.agentRules(version)).map(async ({ agent_playbook_id }) => {
        const ids = await world.sourcesOf(agent_playbook_id);
        return stored
          .filter(({ user_playbook_id }) => ids.includes(user_playbook_id))
          .map((rule) => listedRules.findIndex(({ content }) => content === rule.content));
      }),
    );
    const rows = clusters.flat();
    expect(rows.length).toBe(new Set(rows).size);
    const themesOf = (members: number[]) => new Set(members.map((row) => Math.floor(row / THEME_ROWS)));
    const pure = clusters.map(themesOf).filter(({ size }) => size === 1);
    expect(new Set(pure.flatMap((themes) => [...themes])).size).toBeGreaterThanOrEqual(3);
    for (const members of clusters) {
      expect(new Set([...themesOf(members)].map(isPraise)).size, String(members)).toBe(1);
    }
  });
});
