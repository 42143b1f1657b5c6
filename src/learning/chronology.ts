/**
 * A window as a reasoner sees it: turns in the order in which they were spoken, each with a call-local
 * label. Pure. Labels are never stored; they map back to interaction ids here and nowhere else.
 */
import type { StreamTurn } from "../interactions/model";
import type { ChronologyTurn } from "../platform/reasoner/port";

export interface Chronology {
  turns: ChronologyTurn[];
  /** From a turn's label to the interaction it shows. */
  interactionIdOf: ReadonlyMap<string, number>;
}

/** Sources of turns that Playmaker itself publishes; nobody speaks there, whatever the role says. */
const INTERNAL_SOURCE_PREFIX = "playmaker:";

export const isUserRole = (role: string): boolean => role.trim().toLowerCase() === "user";

/** Whether a turn can show what its user wants. */
export const isUserVoice = (turn: Pick<StreamTurn, "role" | "source">): boolean =>
  isUserRole(turn.role) && !turn.source.startsWith(INTERNAL_SOURCE_PREFIX);

/** Turns by request; requests by their earliest turn, then their own time, then arrival. */
function inSpokenOrder(turns: readonly StreamTurn[]): StreamTurn[] {
  const requests = new Map<string, StreamTurn[]>();
  for (const turn of turns) {
    const sameRequest = requests.get(turn.requestId);
    if (sameRequest === undefined) requests.set(turn.requestId, [turn]);
    else sameRequest.push(turn);
  }
  return [...requests.values()]
    .map((members) => {
      const ordered = [...members].sort((left, right) => left.interactionId - right.interactionId);
      return {
        ordered,
        earliestSec: members.reduce(
          (least, turn) => Math.min(least, turn.createdAt),
          Number.MAX_SAFE_INTEGER,
        ),
        requestSec: ordered[0]?.requestCreatedAt ?? 0,
        // Ids grow in commit order, while request ids of the same second would shuffle a conversation.
        arrival: ordered[0]?.interactionId ?? 0,
      };
    })
    .sort(
      (left, right) =>
        left.earliestSec - right.earliestSec ||
        left.requestSec - right.requestSec ||
        left.arrival - right.arrival,
    )
    .flatMap(({ ordered }) => ordered);
}

function chronologyTurn(turn: StreamTurn, label: string): ChronologyTurn {
  return {
    label,
    role: turn.role,
    content: turn.content,
    isUserVoice: isUserVoice(turn),
    source: turn.source,
    sessionId: turn.sessionId,
    createdAtSec: turn.createdAt,
    toolsUsed: turn.details.tools_used.map(({ tool_name, tool_data, status }) => ({
      tool_name,
      tool_data,
      ...(status !== undefined && { status }),
    })),
    userAction: turn.details.user_action,
    userActionDescription: turn.details.user_action_description,
  };
}

/** An expert's answer stands as a turn of its own right after the one it improves on. */
const expertTurn = (turn: StreamTurn, label: string): ChronologyTurn => ({
  ...chronologyTurn(turn, label),
  role: "Expert",
  content: turn.details.expert_content,
  isUserVoice: false,
  toolsUsed: [],
  userAction: "none",
  userActionDescription: "",
});

/** Labels the turns `T1`…`Tn`. The order of `turns` does not matter. */
export function chronologyOf(turns: readonly StreamTurn[]): Chronology {
  const labelled: ChronologyTurn[] = [];
  const interactionIdOf = new Map<string, number>();
  for (const turn of inSpokenOrder(turns)) {
    const label = `T${labelled.length + 1}`;
    labelled.push(chronologyTurn(turn, label));
    interactionIdOf.set(label, turn.interactionId);
    if (turn.details.expert_content.trim() === "") continue;
    const expertLabel = `T${labelled.length + 1}`;
    labelled.push(expertTurn(turn, expertLabel));
    interactionIdOf.set(expertLabel, turn.interactionId);
  }
  return { turns: labelled, interactionIdOf };
}
