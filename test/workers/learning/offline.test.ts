/// <reference types="vite/types/importMeta.d.ts" />
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
  return texts.flatMap(
    (text) => z.object({ scenarios: z.array(scenarioSchema) }).parse(JSON.parse(text)).scenarios,
  );
}

function offlineStream() {
  const org = freshOrg();
  const services = testServices({ clock: standingClock(), reasoner: () => createOfflineReasoner() });
  return {
    async tell(
      turns: { role: string; content: string }[],
    ): Promise<{ text: string; status: string | null }[]> {
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

  const talk = (...contents: string[]) =>
    contents.map((content, index) => ({ role: index % 2 === 0 ? "User" : "Assistant", content }));

  it.each([
    {
      about: "a length",
      before: talk(
        "Write a caption for the ceramic bowl.",
        "A bowl of clay and patience.",
        "Too short. From now on, write captions of at least 60 words for every piece in the catalogue.",
      ),
      after: talk(
        "Caption for the blue vase, please.",
        "(sixty words about the vase)",
        "I changed my mind about the length: from now on write captions of at most 20 words for every piece in the catalogue.",
      ),
      stands: "20 words",
      gone: "60 words",
    },
    {
      about: "a demand",
      before: talk(
        "Send me the weekly stock report.",
        "Here it is.",
        "You forgot the spreadsheet. Always attach the spreadsheet to the weekly stock report.",
      ),
      after: talk(
        "Send me the weekly stock report.",
        "Here it is, with the spreadsheet.",
        "Please stop attaching the spreadsheet to the weekly stock report from now on. A link is enough.",
      ),
      stands: "do not attach",
      gone: "\nattach the spreadsheet",
    },
    {
      about: "an order",
      before: talk(
        "Explain closures.",
        "def counter(): ...",
        "Don't start with code. In future, explain the idea in words before you show any code.",
      ),
      after: talk(
        "Explain generators.",
        "A generator is a function that pauses.",
        "That was too slow for me. In future, show the code before you explain the idea in words.",
      ),
      stands: "show the code before",
      gone: "idea in words before",
    },
  ])("has the new rule alone: $about", async ({ before, after, stands, gone }) => {
    const { tell } = offlineStream();
    const first = (await tell(before)).map(({ text }) => text).join("\n");
    expect(first).toContain(gone);
    const then = (await tell(after)).map(({ text }) => text).join("\n");
    expect(then).toContain(stands);
    expect(then).not.toContain(gone);
  });

  it("is not asked twice: publishing the same talk again leaves the same rules", async () => {
    const { tell } = offlineStream();
    const turns = talk(
      "Send me the weekly stock report.",
      "Here it is.",
      "You forgot the spreadsheet. Always attach the spreadsheet to the weekly stock report.",
    );
    const once = await tell(turns);
    expect(once).toHaveLength(1);
    expect(await tell(turns)).toEqual(once);
    expect(await tell(turns)).toEqual(once);
  });
});
