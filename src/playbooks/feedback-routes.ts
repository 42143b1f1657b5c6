/** HTTP for what became of rules: where they were applied, and whether they helped. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import { Failure } from "../platform/failure";
import { giveFeedback, ruleKinds, usesSchema, usesViewOf } from "./uses";
import { verdicts } from "./uses-store";

const common = { dialect: "own", tag: "Uses of rules" } as const;

const feedback = defineRoute({
  ...common,
  method: "post",
  path: "/api/rule_feedback",
  summary: "Say whether a rule helped",
  description:
    "One verdict per principal, rule and turn: a second one replaces the first. Without `interaction_id` it is about " +
    "the rule as such.",
  scope: "publish",
  limit: "publish",
  body: z.object({
    kind: z.enum(ruleKinds),
    id: z.int().positive(),
    verdict: z.enum(verdicts),
    interaction_id: z.int().positive().nullish(),
  }),
  example: {
    body: {
      kind: "agent_playbook",
      id: "{{agent_playbook_id}}",
      verdict: "helpful",
      interaction_id: "{{interaction_id}}",
    },
  },
  response: z.object({
    kind: z.enum(ruleKinds),
    id: z.int(),
    verdict: z.enum(verdicts),
    interaction_id: z.int().nullable(),
  }),
  otherAnswers: { 404: "There is no such rule." },
  async handler(scope, { body }) {
    const { kind, id, verdict } = body;
    const interactionId = body.interaction_id ?? null;
    await giveFeedback(scope, { kind, id, verdict, interactionId });
    return { kind, id, verdict, interaction_id: interactionId };
  },
});

const uses = defineRoute({
  ...common,
  method: "get",
  path: "/api/rules/{kind}/{id}/uses",
  summary: "Where a rule was applied, and what was said of it",
  description:
    "A turn that cites a rule has applied it. Users are counted; the scope `review` sees their ids and sessions.",
  scope: "read",
  limit: "read",
  params: z.object({
    kind: z.enum(ruleKinds),
    id: z.string().regex(/^[1-9]\d{0,14}$/, { error: "must be the id of a rule" }),
  }),
  example: { params: { kind: "agent_playbook", id: "{{agent_playbook_id}}" } },
  response: usesSchema,
  otherAnswers: { 404: "There is no such rule." },
  async handler({ db, orgId, principal }, { params }) {
    const mayNameUsers = principal.scopes.includes("review");
    const found = await usesViewOf(db, orgId, params.kind, Number(params.id), mayNameUsers);
    if (found === null) throw new Failure("not_found", "There is no such rule.");
    return found;
  },
});

export const feedbackRoutes: Route[] = [feedback, uses];
