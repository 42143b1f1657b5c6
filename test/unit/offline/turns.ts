/** Turns for the tests of the offline reasoner. */
import { extractOffline } from "../../../src/platform/reasoner/offline/extract";
import type { ChronologyTurn, TaskOutput } from "../../../src/platform/reasoner/port";

export const guidance = { agentContext: "", extractionDefinition: "", tools: [] };

export function turn(
  index: number,
  role: string,
  content: string,
  changes: Partial<ChronologyTurn> = {},
): ChronologyTurn {
  return {
    label: `T${index + 1}`,
    role,
    content,
    isUserVoice: true,
    source: "chat",
    sessionId: "session",
    createdAtSec: 1_700_000_000 + index,
    toolsUsed: [],
    userAction: "none",
    userActionDescription: "",
    ...changes,
  };
}

/** Alternating turns; one that begins with `A:` is the agent's. */
export function conversation(...lines: string[]): ChronologyTurn[] {
  return lines.map((line, index) =>
    line.startsWith("A:") ? turn(index, "Assistant", line.slice(2).trim()) : turn(index, "User", line),
  );
}

export function rulesOf(...lines: string[]): TaskOutput<"extract">["playbooks"] {
  return extractOffline({ turns: conversation(...lines), guidance }).playbooks;
}
