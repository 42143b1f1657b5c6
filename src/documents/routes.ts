/** OpenPlaybook over HTTP: checking a document, its JSON Schema, and what this implementation can do. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Reply, type Route } from "../http/route";
import { CAPABILITY } from "./capability";
import { MINIMAL_DOCUMENT } from "./minimal-document";
import { openPlaybookSchema } from "./schema";
import { VERSION_TEXT } from "./spec";
import { validateDocument } from "./validate";

/** Room for a document that is far too large, so that it is told so with its other faults. */
const MAX_BODY_BYTES = 1_048_576;

/** What is the same for everybody until the next deployment. */
const CACHED = { "cache-control": "public, max-age=3600" };

const finding = z.object({
  code: z.string().meta({ description: "Stable, and never used again for something else.", example: "S443" }),
  slug: z.string().meta({ description: "The code's name in words." }),
  severity: z.enum(["error", "warning"]),
  path: z.string().meta({ description: "JSON Pointer of what is wrong, or of what lacks something." }),
  message: z.string(),
  hint: z.string().optional().meta({ description: "What would be right." }),
  line: z.int().optional().meta({ description: "From 1." }),
  column: z.int().optional().meta({ description: "From 1, in UTF-16 code units." }),
  cycle: z.array(z.string()).optional().meta({ description: "The steps of a circle, the first one again." }),
});

const validate = defineRoute({
  dialect: "own",
  method: "post",
  path: "/api/openplaybook/validate",
  tag: "OpenPlaybook",
  summary: "Everything that is wrong with a playbook document",
  description:
    "The body is the document's text as it stands in its file: names given twice are seen, and findings carry lines and columns. A document with faults is answered with 200, like one without. Nothing is stored.",
  scope: "read",
  limit: "read",
  bodyType: "bytes",
  maxBodyBytes: MAX_BODY_BYTES,
  body: z.unknown().meta({ type: "object", description: "A `.playbook.json` document." }),
  query: z.object({
    mode: z.enum(["publish", "inspect"]).default("publish").meta({
      description: "`inspect` warns of a newer minor version, where `publish` refuses it.",
    }),
  }),
  response: z.object({
    valid: z.boolean().meta({ description: "Whether there is no error; warnings are allowed." }),
    findings: z.array(finding).meta({ description: "By path, then by code." }),
  }),
  example: { body: MINIMAL_DOCUMENT },
  handler: async ({ services }, { body, query: { mode } }) => {
    const input = body instanceof Uint8Array ? { text: body } : { value: body };
    const { valid, findings } = validateDocument(input, { mode, nowMs: services.clock.nowMs() });
    return { valid, findings };
  },
});

const schema = defineRoute({
  dialect: "own",
  method: "get",
  path: `/schemas/openplaybook-${VERSION_TEXT}.json`,
  tag: "OpenPlaybook",
  summary: "The shape of a playbook document as JSON Schema",
  description: "Draft 2020-12. What no schema can say, such as where edges lead, only validation tells.",
  scope: "public",
  limit: "none",
  response: z.record(z.string(), z.unknown()),
  example: {},
  handler: async () => new Reply(200, openPlaybookSchema(), CACHED),
});

const capability = defineRoute({
  dialect: "own",
  method: "get",
  path: "/.well-known/openplaybook",
  tag: "OpenPlaybook",
  summary: "Which versions, kinds and sizes of playbook documents are accepted here",
  scope: "public",
  limit: "none",
  response: z.object({
    opbVersions: z.array(z.string()).meta({ description: "The newest first." }),
    opbVersionMax: z.string(),
    conformanceLevel: z.int().meta({
      description: "1 reads and validates, 2 also runs on a virtual clock, 3 also hosts runs.",
    }),
    stepKinds: z.array(z.string()),
    triggerKinds: z.array(z.string()),
    expression: z.string().meta({ description: "The language of conditions and templates." }),
    limits: z.record(z.string(), z.number()).meta({ description: "Bytes, seconds and counts, as named." }),
  }),
  example: {},
  handler: async () => new Reply(200, CAPABILITY, CACHED),
});

export const documentRoutes: Route[] = [validate, schema, capability];
