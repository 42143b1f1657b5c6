/**
 * The shape of an OpenPlaybook document in canonical names, as zod schemas: the one description that the validator
 * checks against and that the published JSON Schema is made from. Rules between members are in `validate/`.
 */
import * as z from "zod";
import {
  AUTHOR_TYPES,
  LIMITS,
  MCP_TRANSPORTS,
  PATTERNS,
  PRICING_TIERS,
  SIDE_EFFECTS,
  STATUSES,
  VISIBILITIES,
} from "../spec";
import {
  closed,
  count,
  duration,
  FORMS,
  flag,
  object,
  permission,
  text,
  texts,
  userSchema,
  word,
  words,
} from "./parts";
import { stepSchema } from "./steps";
import { triggerSchema } from "./triggers";

const connection = z.union([
  word(),
  z.strictObject({
    id: word(),
    provider: text().exactOptional(),
    scopes: texts().exactOptional(),
    optional: flag(),
    purpose: text().exactOptional(),
  }),
]);
const mcpServer = z.union([
  word(),
  z.strictObject({
    name: word(),
    url: text().exactOptional(),
    transport: z.enum(MCP_TRANSPORTS).exactOptional(),
    tools: words().exactOptional(),
    optional: flag(),
  }),
]);
const secretName = () => z.string().regex(PATTERNS.secretName);
const secret = z.union([
  secretName(),
  z.strictObject({ name: secretName(), description: text().exactOptional(), optional: flag() }),
]);
const requires = z.strictObject({
  connections: z.array(connection).exactOptional(),
  mcpServers: z.array(mcpServer).exactOptional(),
  secrets: z.array(secret).exactOptional(),
});

const manifest = z.strictObject({
  id: z.string().regex(PATTERNS.playbookId),
  slug: z.string().max(LIMITS.slugLength).regex(PATTERNS.slug),
  name: word(),
  description: text().exactOptional(),
  author: z.strictObject({ type: z.enum(AUTHOR_TYPES), id: word(), displayName: text().exactOptional() }),
  category: word(),
  requiredConnectors: words(),
  requiredPermissions: z.array(permission()),
  visibility: z.enum(VISIBILITIES),
  pricingTier: z.enum(PRICING_TIERS),
  premiumPriceCents: count(1).nullable(),
});

export const toolSchema = z.strictObject({
  name: word(),
  description: text().exactOptional(),
  inputSchema: userSchema().exactOptional(),
  outputSchema: userSchema().exactOptional(),
  permissions: z.array(permission()).exactOptional(),
  connector: word().exactOptional(),
  mcpServer: word().exactOptional(),
  sideEffect: z.enum(SIDE_EFFECTS).exactOptional(),
  idempotent: flag(),
  timeout: duration().exactOptional(),
  costCents: z.number().min(0).exactOptional(),
});

export const guardrailsSchema = closed({
  maxRunDurationSeconds: count(1).register(FORMS, {
    description: "Active time: waits and gates do not count.",
  }),
  maxLlmCostCents: count(0).register(FORMS, { description: "Of model calls. 0 spends nothing." }),
  requiresApprovalFor: texts().register(FORMS, {
    description: "Selectors: a permission, prefix.*, tool:NAME or artifact:TYPE.",
  }),
  maxToolCalls: count(0).exactOptional(),
  maxStepExecutions: count(0).exactOptional(),
  maxMapItems: count(0).exactOptional(),
  maxConcurrentRuns: count(0).exactOptional(),
});

const version = () => z.string().regex(PATTERNS.version);
export const documentSchema = z.strictObject({
  opbVersion: version(),
  requires: requires.exactOptional(),
  playbook: z.strictObject({
    id: z.string().regex(PATTERNS.playbookVersionId),
    playbookId: z.string().regex(PATTERNS.playbookId),
    opbVersion: version(),
    version: z.string().regex(PATTERNS.semver),
    status: z.enum(STATUSES),
    manifest,
    instructions: text(),
    configSchema: userSchema().exactOptional(),
    config: object().exactOptional(),
    tools: z.array(toolSchema).max(LIMITS.tools),
    triggers: z.array(triggerSchema).max(LIMITS.triggers),
    steps: z.array(stepSchema).min(1).max(LIMITS.steps),
    guardrails: guardrailsSchema,
  }),
  provenance: object().exactOptional(),
});
