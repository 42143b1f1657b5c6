import { describe, expect, it } from "vitest";
import * as z from "zod";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import { createOfflineReasoner } from "../../../src/platform/reasoner/offline";
import { testServices } from "../../support/services";
import { consumeAll, freshOrg, rulesOf, standingClock } from "./support";

/** Conversations that lie beside the project; where the folder is missing there is nothing to try. */
const files = import.meta.glob<string>("../../../../shared/data/reflexio/contradiction_scenarios.json", {
  query: "?raw",
  import: "default",
});

const scenarioSchema = z.object({
  name: z.string(),
  tests: z.array(z.string()),
  playbook_must_instruct_any_of: z.array(z.string()).default([]),
  playbook_must_not_instruct: z.array(z.string()).default([]),
  batch_1_sanity_terms: z.array(z.string()).default([]),
  batch_1: z.array(z.object({ role: z.string(), content: z.string() })),
  batch_2: z.array(z.object({ role: z.string(), content: z.string() })),
});
type Scenario = z.infer<typeof scenarioSchema>;

async function scenarios(): Promise<Scenario[]> {
  const texts = await Promise.all(Object.values(files).map((load) => load()));
  return texts.flatMap((text) => z.object({ scenarios: z.array(scenarioSchema) }).parse(JSON.parse(text)).scenarios);
}

function offlineStream() {
  const org = freshOrg();
  const services = testServices({ clock: standingClock(), reasoner: () => createOfflineReasoner() });
  return {
    async tell(turns: { role: string; content: string }[]): Promise<{ text: string; status: string | null }[]> {
      await publish(
        services,
        org,
        publishBodySchema.parse({
          user_id: "ada",
          session_id: "s",
          force_extraction: true,
          interaction_data_list: turns,
        }),
      );
      await consumeAll(services, org);
      return (await rulesOf(org))
        .filter(({ status }) => status === null)
        .map(({ trigger, content, status }) => ({ text: `${trigger}\n${content}`.toLowerCase(), status }));
    },
  };
}

describe("a user who reverses an earlier wish", () => {
  it("has the new rule, and no stale phrase remains (published scenarios)", async (context) => {
    const all = (await scenarios()).filter(({ tests }) => tests.includes("playbooks"));
    if (all.length === 0) return context.skip("../shared/data is not there");
    for (const scenario of all) {
      const { tell } = offlineStream();
      const before = (await tell(scenario.batch_1)).map(({ text }) => text).join("\n");
      expect(scenario.batch_1_sanity_terms.some((term) => before.includes(term))).toBe(true);
      const after = (await tell(scenario.batch_2)).map(({ text }) => text).join("\n");
      expect(scenario.playbook_must_instruct_any_of.some((phrase) => after.includes(phrase))).toBe(true);
      for (const phrase of scenario.playbook_must_not_instruct) expect(after).not.toContain(phrase);
    }
  });
});
