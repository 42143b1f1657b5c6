/** Experts' answers as numbered blocks: the question, the agent's answer, the expert's, each fenced. */
import type { ChronologyTurn, ExpertPair } from "../../port";
import { actionLine, toolLines, turnHeader } from "./chronology";
import type { Fence } from "./fence";
import { expertLimits as limits, chronologyLimits as turnLimits } from "./limits";
import { cleanText, cutMiddle, shareBudget } from "./text";

interface Part {
  heading: string;
  turn: ChronologyTurn;
  text: string;
}

function bodyOf(turn: ChronologyTurn): string {
  const tools = cutMiddle(toolLines(turn), turnLimits.toolsPerTurnChars);
  return [tools === "" ? "" : `tools used:\n${tools}`, actionLine(turn), cleanText(turn.content)]
    .filter((part) => part.trim() !== "")
    .join("\n");
}

const part = (heading: string, turn: ChronologyTurn): Part => ({ heading, turn, text: bodyOf(turn) });

/** A question that several answers follow is shown with the first of them. */
function partsOf(
  { question, answer, expert }: ExpertPair,
  shown: Map<string, number>,
  block: number,
): Part[] {
  const parts = [part("The agent's answer", answer), part("The expert's answer", expert)];
  if (question === null || shown.has(question.label)) return parts;
  shown.set(question.label, block);
  return [part("The question", question), ...parts];
}

/** The last `expertLimits.pairs` pairs within one budget; what was left out is said. */
export function renderExpertPairs(pairs: readonly ExpertPair[], fence: Fence): string {
  const visible = pairs.slice(-limits.pairs);
  const blockOf = new Map<string, number>();
  const blocks = visible.map((pair, index) => partsOf(pair, blockOf, index + 1));
  const shares = shareBudget(
    blocks.flat().map(({ text }) => text.length),
    limits.textPerTurnChars,
    limits.textTotalChars,
  );
  const lines: string[] = [];
  if (visible.length < pairs.length) lines.push(`(${pairs.length - visible.length} earlier are not shown)`);
  if (visible.length === 0) lines.push("(none)");
  let place = 0;
  visible.forEach(({ question }, index) => {
    lines.push(`--- ${index + 1} ---`);
    const first = question === null ? undefined : blockOf.get(question.label);
    if (question === null) lines.push("The question: not in the record");
    else if (first !== undefined && first !== index + 1) lines.push(`The question: as in ${first}`);
    for (const { heading, turn, text } of blocks[index] ?? []) {
      const shown = cutMiddle(text, shares[place] ?? 0);
      place += 1;
      lines.push(heading, turnHeader(turn), fence.around(shown === "" ? "(nothing)" : shown));
    }
  });
  return lines.join("\n");
}
