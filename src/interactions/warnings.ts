/** What a publisher is told about input that was left out: bounded, and clean enough for any log. Pure. */
import {
  citationSchema,
  type PublishBody,
  publishBodySchema,
  retrievedLearningSchema,
  toolUsedSchema,
  turnSchema,
} from "./model";

/** Names listed per entry, entries per answer, dropped turns named. */
const MAX_NAMES = 5;
const MAX_ENTRIES = 20;
const MAX_INDEXES = 10;
const MAX_NAME_CHARS = 60;

/** Known, but decided by the server: accepted and ignored without a word. */
const ignoredTurnKeys = new Set([
  "user_id",
  "session_id",
  "created_at",
  "interaction_id",
  "request_id",
  "embedding",
]);

const known = (schema: { shape: object }): ReadonlySet<string> => new Set(Object.keys(schema.shape));
const bodyKeys = known(publishBodySchema);
const turnKeys: ReadonlySet<string> = new Set([...known(turnSchema), ...ignoredTurnKeys]);
const nested = [
  ["tools_used", known(toolUsedSchema)],
  ["citations", known(citationSchema)],
  ["retrieved_learnings", known(retrievedLearningSchema)],
] as const;

function cleanName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  const visible = name.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g, "");
  return visible.length <= MAX_NAME_CHARS ? visible : `${visible.slice(0, MAX_NAME_CHARS).toWellFormed()}…`;
}

const some = (names: readonly string[], limit: number): string =>
  names.slice(0, limit).join(", ") + (names.length > limit ? ` and ${names.length - limit} more` : "");

const unknownKeys = (value: object, keys: ReadonlySet<string>): string[] =>
  Object.keys(value).filter((key) => !keys.has(key));

const entry = (path: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${path}unknown keys ignored: ${some(names.map(cleanName), MAX_NAMES)}`];

/** One line per object with unknown keys, in order of appearance. */
function* turnEntries(turns: PublishBody["interaction_data_list"]): Generator<string> {
  for (const [index, turn] of turns.entries()) {
    const path = `interaction_data_list[${index}]`;
    yield* entry(`${path}: `, unknownKeys(turn, turnKeys));
    for (const [field, keys] of nested) {
      for (const [position, item] of turn[field].entries()) {
        yield* entry(`${path}.${field}[${position}]: `, unknownKeys(item, keys));
      }
    }
  }
}

const indexes = (positions: readonly number[]): string =>
  some(
    positions.map((position) => `interaction_data_list[${position}]`),
    MAX_INDEXES,
  );

/** Unknown keys of a body, at most 20 lines and one that counts the rest; top-level keys come first. */
export function unknownKeyWarnings(body: PublishBody): string[] {
  const kept: string[] = [];
  let more = 0;
  for (const line of turnEntries(body.interaction_data_list)) {
    if (kept.length < MAX_ENTRIES) kept.push(line);
    else more += 1;
  }
  return [
    ...entry("", unknownKeys(body, bodyKeys)),
    ...kept,
    ...(more > 0 ? [`${more} more objects had unknown keys, which were ignored`] : []),
  ];
}

/** Summaries that are always kept. Positions are those of the published list. */
export const summaryWarnings = (dropped: readonly number[], images: readonly number[]): string[] => [
  ...(dropped.length > 0 ? [`empty turns dropped: ${indexes(dropped)}`] : []),
  ...(images.length > 0
    ? [`image_encoding: only type, length and SHA-256 are kept of ${indexes(images)}`]
    : []),
];
