/**
 * The rules of a publish body beyond its fields' types and limits: which turns count, which are
 * dropped, what is refused and what is only reported. Pure.
 */
import { Failure, invalid } from "../platform/failure";
import { MAX_NESTING, nestsTooDeep } from "./canonical";
import { imageUrlFault } from "./image-urls";
import type { PublishBody, PublishedTurn } from "./model";
import { summaryWarnings, unknownKeyWarnings } from "./warnings";

/** Retrieved learnings of all turns of one request. */
const MAX_RETRIEVED_LEARNINGS = 1_000;

/** A turn that is kept, with its place in the published list. */
export interface KeptTurn {
  index: number;
  turn: PublishedTurn;
}

export interface CheckedPublish {
  turns: KeptTurn[];
  warnings: string[];
}

export const turnPointer = (index: number, field: string): string =>
  `/interaction_data_list/${index}/${field}`;

const isBlank = (text: string): boolean => text.trim() === "";

/** A turn that says and does nothing. The action `none` is no action. */
export const isEmptyTurn = (turn: PublishedTurn): boolean =>
  isBlank(turn.content) &&
  isBlank(turn.shadow_content) &&
  isBlank(turn.expert_content) &&
  isBlank(turn.interacted_image_url) &&
  isBlank(turn.image_encoding) &&
  turn.tools_used.length === 0 &&
  turn.citations.length === 0 &&
  turn.retrieved_learnings.length === 0 &&
  turn.user_action === "none";

function checkRequest(body: PublishBody): void {
  if (body.evaluation_only && body.force_extraction) {
    throw invalid(
      "/force_extraction",
      "evaluation_only input is never learned from, so extraction cannot be forced",
      "force_extraction false together with evaluation_only true",
    );
  }
  const experiment = body.retrieval_experiment_id ?? null;
  const arm = body.retrieval_experiment_arm ?? null;
  if ((experiment === null) !== (arm === null)) {
    const missing = experiment === null ? "retrieval_experiment_id" : "retrieval_experiment_arm";
    throw invalid(`/${missing}`, "an experiment has an id and an arm", "both fields or neither");
  }
  const learnings = body.interaction_data_list.reduce(
    (sum, turn) => sum + turn.retrieved_learnings.length,
    0,
  );
  if (learnings > MAX_RETRIEVED_LEARNINGS) {
    throw invalid(
      "/interaction_data_list",
      `the turns carry ${learnings} retrieved_learnings`,
      `at most ${MAX_RETRIEVED_LEARNINGS} in one request`,
      "too_big",
    );
  }
}

function checkTurn(turn: PublishedTurn, index: number): void {
  if (turn.user_action !== "none" && isBlank(turn.user_action_description)) {
    throw invalid(
      turnPointer(index, "user_action_description"),
      `the action ${turn.user_action} has no description`,
      "a description of what the user did",
    );
  }
  const url = turn.interacted_image_url.trim();
  if (url !== "" && !isBlank(turn.image_encoding)) {
    throw invalid(
      turnPointer(index, "image_encoding"),
      "the turn has an image address and an inline image",
      "interacted_image_url or image_encoding, not both",
    );
  }
  const fault = url === "" ? null : imageUrlFault(url);
  if (fault !== null) {
    throw invalid(
      turnPointer(index, "interacted_image_url"),
      `the address ${fault}`,
      "an http, https or data URL of a host other than a cloud metadata service",
    );
  }
  const deep = turn.tools_used.findIndex(({ tool_data }) => nestsTooDeep(tool_data));
  if (deep !== -1) {
    throw invalid(
      turnPointer(index, `tools_used/${deep}/tool_data`),
      "the value nests too deep",
      `at most ${MAX_NESTING} levels`,
    );
  }
}

/** @throws Failure("invalid") with the unknown keys named: a turn keyed `Content` looks empty otherwise */
function refuseAllEmpty(warnings: readonly string[]): never {
  const hint = warnings.length > 0 ? ` (${warnings.join("; ")})` : "";
  throw new Failure("invalid", `every turn is empty${hint}`, [
    {
      pointer: "/interaction_data_list",
      message: `every turn is empty${hint}`,
      expected: "at least one turn with content, an action, an image, tools, citations or learnings",
      type: "value_error",
    },
  ]);
}

/**
 * Applies the rules to a body whose types were checked.
 * @throws Failure("invalid") naming the first fault by JSON pointer
 */
export function checkPublish(body: PublishBody): CheckedPublish {
  checkRequest(body);
  const turns: KeptTurn[] = [];
  const dropped: number[] = [];
  for (const [index, turn] of body.interaction_data_list.entries()) {
    checkTurn(turn, index);
    if (isEmptyTurn(turn)) dropped.push(index);
    else turns.push({ index, turn });
  }
  const unknown = unknownKeyWarnings(body);
  if (turns.length === 0) refuseAllEmpty(unknown);
  const images = turns.filter(({ turn }) => !isBlank(turn.image_encoding)).map(({ index }) => index);
  return { turns, warnings: [...unknown, ...summaryWarnings(dropped, images)] };
}
