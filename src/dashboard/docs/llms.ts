/** The API for language models: `llms.txt` (https://llmstxt.org) and one Markdown page a job. Pure. */
import { SETUP } from "./examples";
import type { DocJob, DocRoute } from "./reference";
import type { FieldRow } from "./schema";

/** The calls that most agents need, whole. */
const MOST_USEFUL = [
  "POST /api/publish_interaction",
  "POST /api/context",
  "POST /api/search",
  "POST /api/get_agent_playbooks",
  "PUT /api/update_agent_playbook_status",
];

const titleOf = ({ method, path }: DocRoute): string => `${method} ${path}`;

/** Where the Markdown page of a job is. */
export const markdownPath = ({ id }: Pick<DocJob, "id">): string => `/docs/${id}.md`;

const scopeText = ({ scope }: DocRoute): string =>
  scope === "public" ? "no key" : scope === "admin-secret" ? "the admin secret" : `scope ${scope}`;

/** `name*: type (limits) – meaning`, `*` for required. */
const fieldLine = ({ name, type, isRequired, limits, meaning }: FieldRow): string =>
  `- \`${name}\`${isRequired ? " (required)" : ""}: ${type}${limits === "" ? "" : `; ${limits}`}${meaning === "" ? "" : `. ${meaning}`}`;

const code = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

/** The fields of the first level, in a few words. */
function takes({ body, parameters }: DocRoute): string {
  const names = [...parameters, ...body.filter(({ name }) => !name.includes(".") && !name.includes("["))].map(
    ({ name, isRequired }) => (isRequired ? `${name}*` : name),
  );
  return names.length === 0 ? "" : ` Takes ${names.join(", ")}.`;
}

const section = (route: DocRoute): string =>
  [
    `## ${titleOf(route)}`,
    `${route.summary}. ${route.description}`.trim(),
    `Needs ${scopeText(route)}.`,
    ...(route.parameters.length === 0
      ? []
      : [["Parameters:", ...route.parameters.map(fieldLine)].join("\n")]),
    ...(route.body.length === 0 ? [] : [["Body (JSON):", ...route.body.map(fieldLine)].join("\n")]),
    "Answers:",
    code("ts", route.answer),
    ...(route.others.length === 0
      ? []
      : [route.others.map(({ status, description }) => `- ${status}: ${description}`).join("\n")]),
    ...(route.example === undefined ? [] : ["Example:", code("sh", route.example.curl)]),
  ].join("\n\n");

/** All routes of a job, whole. */
export const jobMarkdown = (job: DocJob): string =>
  `${[`# Playmaker: ${job.title}`, job.intro, code("sh", SETUP), ...job.routes.map(section)].join("\n\n")}\n`;

const line = (job: DocJob, route: DocRoute): string =>
  `- [${titleOf(route)}](${markdownPath(job)}): ${route.summary} (${scopeText(route)}).${takes(route)}`;

/** The whole API in short. */
export function llmsText(jobs: readonly DocJob[]): string {
  const routes = jobs.flatMap((job) => job.routes);
  const examples = MOST_USEFUL.flatMap((title) => {
    const example = routes.find((route) => titleOf(route) === title)?.example;
    return example === undefined ? [] : [code("sh", example.curl)];
  });
  return `${[
    "# Playmaker",
    "> Playbooks for AI agents: rules are learned from conversations, merged across users, approved by people, and served into prompts.",
    "An agent publishes its conversations and asks for its rules before it answers. Every call takes `Authorization: Bearer KEY` and JSON; on a laptop no key is needed. A key's roles give it scopes; only the scope `review` approves rules, and keys made for agents do not have it. Faults of an input (422) name each field by JSON pointer and say what would be right. Every POST takes an `Idempotency-Key`; publishing is repeated safely with the same `request_id`. Names marked with * are required.",
    "The calls that most agents need:",
    code("sh", SETUP),
    ...examples,
    ...jobs.map((job) =>
      [`## ${job.title}`, job.intro, job.routes.map((route) => line(job, route)).join("\n")].join("\n\n"),
    ),
    [
      "## Optional",
      "",
      "- [OpenAPI document](/openapi.json): every schema, whole",
      "- [Documentation for people](/docs): the same with a form to try each call",
    ].join("\n"),
  ].join("\n\n")}\n`;
}
