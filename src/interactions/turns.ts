/** From a published turn to the row that is stored of it. Pure; hashing is its only await. */
import { invalid } from "../platform/failure";
import { byteLength } from "../platform/text";
import { canonicalJson } from "./canonical";
import { imageFacts } from "./images";
import type { NewTurn, PublishedTurn } from "./model";
import { type KeptTurn, turnPointer } from "./validate";

/** All of a turn together: what one database value holds, with room for its row. */
const MAX_TURN_BYTES = 1_500_000;
/** The word index reads the beginning of a long turn only. */
const MAX_INDEXED_CHARS = 100_000;

const present = (entries: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entries).filter(
      ([, value]) =>
        value !== undefined &&
        value !== null &&
        value !== "" &&
        !(Array.isArray(value) && value.length === 0),
    ),
  );

/** The known keys of the nested lists; unknown ones were reported and end here. */
const listsOf = (turn: PublishedTurn) => ({
  tools_used: turn.tools_used.map(({ tool_name, tool_data, status }) => ({
    tool_name,
    tool_data,
    ...(typeof status === "string" && { status }),
  })),
  citations: turn.citations.map(({ kind, real_id, tag, title }) => ({ kind, real_id, tag, title })),
  retrieved_learnings: turn.retrieved_learnings.map(({ kind, learning_id }) => ({ kind, learning_id })),
});

/**
 * Sizes count as stored: the content as it is, everything else escaped inside JSON.
 * @throws Failure("invalid") naming the turn's largest field
 */
function checkSize(index: number, turn: PublishedTurn, details: Record<string, unknown>): void {
  const sizes: (readonly [field: string, bytes: number])[] = [
    ["role", byteLength(turn.role)],
    ["content", byteLength(turn.content)],
    ...Object.entries(details).map(([field, value]) => [field, byteLength(JSON.stringify(value))] as const),
  ];
  const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  if (total <= MAX_TURN_BYTES) return;
  const [largest] = sizes.reduce((most, size) => (size[1] > most[1] ? size : most));
  throw invalid(
    turnPointer(index, largest),
    `the turn takes ${total} bytes`,
    `at most ${MAX_TURN_BYTES} bytes in all fields of a turn together`,
    "too_big",
  );
}

/**
 * Prepares one turn for storage.
 * @throws Failure("invalid") for an image that is no base64, or a turn above 1,500,000 bytes
 */
export async function newTurn({ index, turn }: KeptTurn): Promise<NewTurn> {
  const encoding = turn.image_encoding.trim();
  const image = encoding === "" ? undefined : await imageFacts(encoding);
  if (image === null) {
    throw invalid(turnPointer(index, "image_encoding"), "the image is not base64", "base64 or a data URL");
  }
  const details = present({
    user_action: turn.user_action === "none" ? undefined : turn.user_action,
    user_action_description: turn.user_action_description,
    interacted_image_url: turn.interacted_image_url.trim(),
    image,
    shadow_content: turn.shadow_content,
    expert_content: turn.expert_content,
    token_count: turn.token_count,
    ...listsOf(turn),
  });
  checkSize(index, turn, details);
  const words = [turn.content, turn.user_action_description, turn.expert_content].filter(
    (text) => text !== "",
  );
  return {
    role: turn.role,
    content: turn.content,
    details: canonicalJson(details),
    words: words.join("\n").slice(0, MAX_INDEXED_CHARS).toWellFormed(),
  };
}
