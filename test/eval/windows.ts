/** Turns of a payload as a reasoner sees them, whole or in the windows production cuts by default. */
import type { ChronologyTurn } from "../../src/platform/reasoner/port";

/** Production defaults: a window holds 10 turns, and each later one brings at least 8 new ones. */
const windowSize = 10;
const strideSize = 8;

interface PlainTurn {
  readonly role: string;
  readonly content: string;
  readonly tools_used?: ReadonlyArray<{
    tool_name: string;
    tool_data?: unknown;
    status?: string | undefined;
  }>;
}

/** One window: its turns labelled from T1, and where each stands in the conversation. */
export interface EvalWindow {
  readonly turns: ChronologyTurn[];
  readonly indexOfLabel: ReadonlyMap<string, number>;
}

function windowOver(turns: readonly PlainTurn[], from: number, to: number): EvalWindow {
  const indexOfLabel = new Map<string, number>();
  const chronology = turns.slice(from, to).map((turn, offset): ChronologyTurn => {
    const label = `T${offset + 1}`;
    indexOfLabel.set(label, from + offset);
    return {
      label,
      role: turn.role,
      content: turn.content,
      isUserVoice: true,
      source: "evaluation",
      sessionId: "session",
      createdAtSec: 1_700_000_000 + from + offset,
      toolsUsed: (turn.tools_used ?? []).map((tool) => ({
        tool_name: tool.tool_name,
        tool_data: tool.tool_data,
        ...(tool.status === undefined ? {} : { status: tool.status }),
      })),
      userAction: "none",
      userActionDescription: "",
    };
  });
  return { turns: chronology, indexOfLabel };
}

/** The conversation as one forced window. */
export function wholeConversation(turns: readonly PlainTurn[]): EvalWindow[] {
  return [windowOver(turns, 0, turns.length)];
}

/** First 10 turns, then 8 new ones after the 2 before them, and the rest as if forced. */
export function productionWindows(turns: readonly PlainTurn[]): EvalWindow[] {
  const windows: EvalWindow[] = [];
  let done = 0;
  while (done < turns.length) {
    const end = Math.min(turns.length, done === 0 ? windowSize : done + strideSize);
    windows.push(windowOver(turns, Math.max(0, end - windowSize), end));
    done = end;
  }
  return windows;
}
