/** The shape of OpenPlaybook documents, as zod schemas and as a JSON Schema. */
export { documentSchema, guardrailsSchema, toolSchema } from "./document";
export { openPlaybookSchema, SCHEMA_PATH } from "./published";
export { itemStepSchema, STEP_SHAPES, stepSchema } from "./steps";
export { filterSchema, TRIGGER_SHAPES, triggerSchema } from "./triggers";
