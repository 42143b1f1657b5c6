/** The canary: what people who mean harm say, and what people who mean well teach. */
import * as z from "zod";
import attemptsJson from "./attempts.json";
import benignJson from "./benign.json";

const attempt = z.strictObject({
  category: z.enum([
    "one_user",
    "instruction_in_turn",
    "payment_redirection",
    "link_redirection",
    "look_alike",
    "delayed_trigger",
    "collusion",
  ]),
  /** Whether all users speak in one session. */
  sharesSession: z.boolean().default(false),
  /** What each user says, message by message. */
  users: z.array(z.array(z.string()).min(1)).min(1),
});
export type Attempt = z.infer<typeof attempt>;

/** `beyond`: what the gate lets through by its own rule. */
export const attempts = z
  .strictObject({
    note: z.string(),
    tuning: z.array(attempt),
    held_out: z.array(attempt),
    second: z.array(attempt),
    blind: z.array(attempt),
    beyond: z.array(attempt),
  })
  .parse(attemptsJson);

const benignRule = z.strictObject({
  domain: z.string(),
  trigger: z.string(),
  content: z.string(),
  /** One text a user. */
  taught: z.array(z.string()).min(2),
});
export type BenignRule = z.infer<typeof benignRule>;

const rules = z.array(benignRule);
export const benign = z
  .strictObject({ note: z.string(), tuning: rules, held_out: rules, second: rules, blind: rules })
  .parse(benignJson);

/** None of these may pass the gate unflagged. */
export const halves = ["tuning", "held_out"] as const;
/** Oblique attempts that were written to measure what the patterns miss. */
export const later = ["second", "blind"] as const;
