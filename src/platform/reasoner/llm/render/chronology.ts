/** A window of turns as one block of text: session headers, then labelled turns, each fenced. */
import type { ChronologyTurn } from "../../port";
import type { Fence } from "./fence";
import { chronologyLimits as limits } from "./limits";
import { cleanText, cutMiddle, shareBudget, singleLine } from "./text";

/** `2026-03-04 10:22` in UTC; text that says so for an instant outside the calendar. */
export function minuteOf(createdAtSec: number): string {
  const date = new Date(createdAtSec * 1000);
  return Number.isNaN(date.getTime()) ? "unknown time" : date.toISOString().slice(0, 16).replace("T", " ");
}

/**
 * Text that may stand outside a fence: one token of letters, digits and `_ . : -`. A publisher chooses
 * roles and sources freely; without spaces none of them reads as an order.
 */
export function plainWord(text: string, maxChars: number): string {
  const token = cleanText(text.slice(0, maxChars * 4)).replace(/[^\p{L}\p{N}.:-]+/gu, "_");
  return cleanText(token.slice(0, maxChars)).replace(/^_|_$/g, "");
}

/** What the turn's tools were given and how it went, a line each; not cut. */
export function toolLines(turn: ChronologyTurn): string {
  const lines = turn.toolsUsed.map((use) => {
    const status = use.status === undefined ? "" : ` -> ${use.status}`;
    return `${use.tool_name}(${JSON.stringify(use.tool_data) ?? ""})${status}`;
  });
  return cleanText(lines.join("\n"));
}

/** What the user did besides writing, or "". */
export function actionLine(turn: ChronologyTurn): string {
  if (turn.userAction === "" || turn.userAction === "none") return "";
  const action = plainWord(turn.userAction, limits.actionChars);
  const description = singleLine(turn.userActionDescription, limits.actionDescriptionChars);
  return description === "" ? `user action: ${action}` : `user action: ${action}: ${description}`;
}

/** Label, role, source and minute; the only words of a turn outside its fence. */
export function turnHeader(turn: ChronologyTurn): string {
  const parts = [
    `[${plainWord(turn.label, 12)}] ${plainWord(turn.role, limits.roleChars)}`,
    `source ${plainWord(turn.source, limits.sourceChars) || "unnamed"}`,
    minuteOf(turn.createdAtSec),
  ];
  if (!turn.isUserVoice && turn.role.toLowerCase() === "user") parts.push("not the user's voice");
  return parts.join(" | ");
}

/** The last `chronologyLimits.turns` turns within the shared budgets; what was left out is said. */
export function renderChronology(turns: readonly ChronologyTurn[], fence: Fence): string {
  const shown = turns.slice(-limits.turns);
  const contents = shown.map((turn) => cleanText(turn.content));
  const tools = shown.map(toolLines);
  const contentShares = shareBudget(
    contents.map((text) => text.length),
    limits.contentPerTurnChars,
    limits.contentTotalChars,
  );
  const toolShares = shareBudget(
    tools.map((text) => text.length),
    limits.toolsPerTurnChars,
    limits.toolsTotalChars,
  );

  const lines: string[] = [];
  if (shown.length < turns.length) lines.push(`(${turns.length - shown.length} earlier turns are not shown)`);
  if (shown.length === 0) lines.push("(no turns)");
  let session: string | undefined;
  let sessionNumber = 0;
  shown.forEach((turn, index) => {
    if (turn.sessionId !== session) {
      session = turn.sessionId;
      sessionNumber += 1;
      lines.push(`--- session ${sessionNumber}, ${minuteOf(turn.createdAtSec).slice(0, 10)} ---`);
    }
    const toolText = cutMiddle(tools[index] ?? "", toolShares[index] ?? 0);
    const parts = [toolText === "" ? "" : `tools used:\n${toolText}`, actionLine(turn)].filter(
      (part) => part !== "",
    );
    const text = cutMiddle(contents[index] ?? "", contentShares[index] ?? 0);
    lines.push(turnHeader(turn), fence.around([...parts, text].join("\n")));
  });
  return lines.join("\n");
}
