/// <reference types="vite/types/importMeta.d.ts" />
/** Conversations and labels that lie beside the project. Where the folder is missing there is nothing to run. */
import * as z from "zod";

export const MISSING = "../shared/data is not beside the project";

const texts = import.meta.glob<string>(
  [
    "../../../shared/data/extraction-oracle.json",
    "../../../shared/data/reflexio/contradiction_scenarios.json",
    "../../../shared/data/reflexio/mock_playbooks.csv",
    "../../../shared/data/reflexio/llm-fixtures/*.json",
    "../../../shared/data/reflexio/publish/*.json",
    "../../../shared/data/reflexio/scenarios/*.yaml",
  ],
  { query: "?raw", import: "default", eager: true },
);

/** Name without folders, and text, of the files whose path holds `part`. */
const filesOf = (part: string): { name: string; text: string }[] =>
  Object.entries(texts)
    .filter(([path]) => path.includes(part))
    .map(([path, text]) => ({ name: path.split("/").at(-1) ?? path, text }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));

const parsed = <Schema extends z.ZodType>(schema: Schema, part: string) =>
  filesOf(part).map(({ name, text }) => ({ name, value: schema.parse(JSON.parse(text)) }));

const turnSchema = z.looseObject({ role: z.string(), content: z.string() });
export type SpokenTurn = z.infer<typeof turnSchema>;

export const payloadSchema = z.object({
  user_id: z.string(),
  source: z.string(),
  agent_version: z.string(),
  session_id: z.string(),
  interaction_data_list: z.array(turnSchema),
});
export type Payload = z.infer<typeof payloadSchema>;
export const payloads = parsed(payloadSchema, "/publish/");

/** The sessions of the scenario files, of which the payloads are the form that can be published. */
export const scenarioSessions = filesOf("/scenarios/").flatMap(({ text }) =>
  [...text.matchAll(/^\s+session_id:\s*"?([^"\s]+)"?$/gm)].map(([, id = ""]) => id),
);

const labelledRule = z.object({
  id: z.string(),
  trigger: z.string(),
  content: z.string(),
  kind: z.string(),
  /** Positions in the payload's list. */
  evidence_turns: z.array(z.int()),
});
export type LabelledRule = z.infer<typeof labelledRule>;
const reference = z.tuple([z.string(), z.string()]);
const oracleSchema = z.object({
  files: z.array(z.object({ file: z.string(), expected: z.array(labelledRule) })),
  aggregation: z.object({
    if_one_version: z.array(z.object({ theme: z.string(), members: z.array(reference) })),
    must_not_merge: z.array(z.object({ a: z.array(reference), b: z.array(reference) })),
  }),
});
export const oracle = parsed(oracleSchema, "extraction-oracle")[0]?.value ?? null;

/** The rules that a reader found in a payload. */
export const rulesIn = (name: string): LabelledRule[] =>
  oracle?.files.find(({ file }) => file === name)?.expected ?? [];

/** The content of the rule that a reference of the labels names. */
export const contentOf = ([file, id]: z.infer<typeof reference>): string =>
  rulesIn(file).find((rule) => rule.id === id)?.content ?? "";

const contradictionSchema = z.object({
  name: z.string(),
  tests: z.array(z.string()),
  playbook_must_instruct_any_of: z.array(z.string()).default([]),
  playbook_must_not_instruct: z.array(z.string()).default([]),
  batch_1: z.array(turnSchema),
  batch_2: z.array(turnSchema),
});
export type Contradiction = z.infer<typeof contradictionSchema>;
export const contradictions = parsed(
  z.object({ scenarios: z.array(contradictionSchema) }),
  "contradiction_scenarios",
).flatMap(({ value }) => value.scenarios);

const completion = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]),
});
/** What a model once answered to one kind of prompt, as it came; null where it is not recorded. */
export const answerOnFile = (kind: string): string | null =>
  parsed(completion, `llm-fixtures/${kind}.json`)[0]?.value.choices[0].message.content ?? null;

/** The rows of the list of rules: `version,request,"content","name"`. */
export const listedRules = filesOf("mock_playbooks").flatMap(({ text }) =>
  [...text.matchAll(/^([^,\n]+),([^,\n]+),"([^"]*)","([^"]*)"$/gm)].map(
    ([, agent_version = "", request_id = "", content = "", playbook_name = ""]) => ({
      agent_version,
      request_id,
      content,
      playbook_name,
    }),
  ),
);
