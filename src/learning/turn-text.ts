/** The texts of a turn that evidence may quote, the telling one first. Pure. */
import type { ChronologyTurn } from "../platform/reasoner/port";

/** Content, then the described action, then what the tools were given and gave. */
export function citableTexts(turn: ChronologyTurn): string[] {
  const tools = turn.toolsUsed.map(
    ({ tool_name, tool_data, status }) =>
      `${tool_name} ${JSON.stringify(tool_data) ?? ""}${status === undefined ? "" : ` ${status}`}`,
  );
  return [turn.content, turn.userActionDescription, ...tools].filter((text) => text.trim() !== "");
}
