import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import type { Services } from "../../../src/services";
import { consumeAll, counterOf, currentOf, freshOrg, learningServices, windowsOf } from "./support";

const call = (path: string, body: unknown) =>
  exports.default.fetch(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const turns = [
  { role: "User", content: "How do I get the old varnish off my violin bow?" },
  {
    role: "Assistant",
    content: "Wipe the bow with paint thinner.",
    expert_content:
      "Never use thinner on a bow. Clean the stick with a dry cloth, then send the bow to a maker.",
  },
];

it("a published expert's answer becomes a rule that rests on the expert's words", async () => {
  const published = await call("/api/publish_interaction?wait_for_response=true", {
    user_id: "bow-owner",
    session_id: "s",
    force_extraction: true,
    interaction_data_list: turns,
  });
  expect(await published.json()).toMatchObject({ learning_status: "done", playbooks_added: 1 });
  const listed = await call("/api/get_user_playbooks", { user_id: "bow-owner" });
  const interactions = await call("/api/get_interactions", { user_id: "bow-owner" });
  const rule = z.object({
    trigger: z.string(),
    content: z.string(),
    source_interaction_ids: z.array(z.int()),
    source_span: z.string(),
  });
  const { user_playbooks } = z.object({ user_playbooks: z.array(rule) }).parse(await listed.json());
  const stored = z
    .object({ interactions: z.array(z.object({ interaction_id: z.int(), role: z.string() })) })
    .parse(await interactions.json());
  const answered = stored.interactions.filter(({ role }) => role === "Assistant");
  expect(user_playbooks).toHaveLength(1);
  expect(user_playbooks[0]?.content).toContain("Never use thinner on a bow.");
  expect(user_playbooks[0]?.source_span).toContain(
    "Clean the stick with a dry cloth, then send the bow to a maker.",
  );
  expect(user_playbooks[0]?.source_interaction_ids).toEqual(
    answered.map(({ interaction_id }) => interaction_id),
  );
});

/** Publishes the conversation of a fresh org and reads its one window. */
async function learn(services: Services, force: boolean) {
  const org = freshOrg();
  const padding = force
    ? []
    : Array.from({ length: 8 }, (_, at) => ({ role: "User", content: `Talk ${at}.` }));
  const body = {
    user_id: "ada",
    session_id: "s",
    force_extraction: force,
    interaction_data_list: [...padding, ...turns],
  };
  await publish(services, org, publishBodySchema.parse(body));
  await consumeAll(services, org);
  return org;
}

describe("a window with an expert's answer", () => {
  const rule = (source_span: string) => ({
    rationale: "Thinner dissolves the glue.",
    evidence_kind: "expert-gap",
    trigger: "Asked to remove varnish from a bow.",
    content: "Advise against thinner.",
    evidence: [{ turn_ref: "T3", source_span }],
  });

  it("asks the experts' gate and extraction, and no reviewer", async () => {
    const { services, reasoner } = learningServices({
      answers: {
        shouldExtractExpert: () => ({ shouldExtract: true }),
        extractExpert: ({ pairs }) => ({
          playbooks: pairs.map(({ expert }) => ({
            ...rule("Never use thinner on a bow."),
            evidence: [{ turn_ref: expert.label, source_span: "Never use thinner on a bow." }],
          })),
        }),
      },
    });
    const org = await learn(services, false);
    expect(reasoner.calls).toEqual(["shouldExtractExpert", "extractExpert"]);
    expect(await currentOf(org)).toEqual(["Advise against thinner."]);
  });

  it("teaches nothing when its gate says no", async () => {
    const { services, reasoner } = learningServices({
      answers: { shouldExtractExpert: () => ({ shouldExtract: false }) },
    });
    const org = await learn(services, false);
    expect(reasoner.calls).toEqual(["shouldExtractExpert"]);
    expect((await windowsOf(org)).map(({ state }) => state)).toEqual(["applied"]);
  });

  it("ends as a dead letter when the spans stay false after one repair", async () => {
    const { services, reasoner } = learningServices({
      answers: { extractExpert: () => ({ playbooks: [rule("Use plenty of thinner.")] }) },
    });
    const org = await learn(services, true);
    expect(reasoner.calls).toEqual(["extractExpert", "extractExpert"]);
    expect((await windowsOf(org)).map(({ state, error }) => [state, error])).toEqual([
      ["dead", "candidates_invalid"],
    ]);
    expect(await counterOf(org, "dead:candidates_invalid")).toBe(1);
    expect(await currentOf(org)).toEqual([]);
  });
});
