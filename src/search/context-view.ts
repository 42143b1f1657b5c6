/** What callers see of a prompt's context beside its text. */
import * as z from "zod";
import type { PromptContext } from "./prompt-context";

export const contextViewShape = {
  /** Upper estimate of the block's tokens; never above `max_tokens`. */
  tokens: z.int(),
  format: z.string(),
  citations: z.array(
    z.object({
      tag: z.string(),
      kind: z.enum(["agent_playbook", "user_playbook"]),
      id: z.int(),
      /** `id` as the citations of a published turn carry it. */
      real_id: z.string(),
    }),
  ),
  /** True where only words could be compared, not meaning. */
  degraded: z.boolean(),
  /** Rules that fit but had no room. */
  omitted: z.int(),
  /** The user's own rules that fit but are flagged as unsafe to show to a model. */
  withheld: z.array(z.object({ kind: z.literal("user_playbook"), id: z.int(), flags: z.array(z.string()) })),
};

export const contextView = (
  { tokens, citations, degraded, omitted, withheld }: PromptContext,
  format: string,
) => ({
  ...{ tokens, format },
  citations: citations.map(({ tag, kind, id }) => ({ tag, kind, id, real_id: String(id) })),
  ...{ degraded, omitted, withheld },
});
