/** What a dead letter was about, in words and with a place to look; who it was about only for reviewers. */
import type { RequestScope } from "../../http/route";
import { type DeadLetter, loadWindowSubjects, type WindowSubject } from "../../learning/dead-letter-store";
import { hrefOf, plural } from "../parts";

export interface Subject {
  text: string;
  /** Whose turns or rules; null where there is none, or the reader may not know. */
  userId: string | null;
  link: { href: string; label: string } | null;
}

export interface ShownLetter extends DeadLetter {
  subject: Subject;
}

const windowIdOf = ({ topic, key }: DeadLetter): string | null =>
  topic === "extraction" && typeof key[2] === "string" ? key[2] : null;

function ofWindow(window: WindowSubject | undefined): Omit<Subject, "userId"> {
  if (window === undefined)
    return { text: "Turns of a conversation; they are no longer stored.", link: null };
  const { turns, agentVersion, sessionId, state } = window;
  const since = state === "dead" || state === "open" || state === "computed" ? "" : `, ${state} since`;
  return {
    text: `${plural(turns, "turn")} of a conversation with ${agentVersion}${since}.`,
    link:
      sessionId === null
        ? null
        : { href: `/desk/sessions/${encodeURIComponent(sessionId)}`, label: "The conversation" },
  };
}

/** Pure: `window` is what is known of the letter's window. */
export function subjectOf(letter: DeadLetter, window: WindowSubject | undefined): Omit<Subject, "userId"> {
  const [first, second] = letter.key;
  switch (letter.topic) {
    case "extraction":
      return ofWindow(window);
    case "tagging":
      return { text: `Tags of a user's rules for ${second ?? "an agent version"}.`, link: null };
    case "vector":
      return first === "agent_playbook"
        ? {
            text: `The embedding of agent playbook #${second}.`,
            link: { href: hrefOf("/", { rule: second }), label: "The rule" },
          }
        : {
            text: `The embedding of user playbook #${second}.`,
            link: { href: hrefOf("/desk/user-playbooks", { id: second }), label: "The rule" },
          };
    default:
      return { text: `Work of the kind “${letter.topic}”.`, link: null };
  }
}

const userOf = ({ topic, key }: DeadLetter): string | null =>
  (topic === "extraction" || topic === "tagging") && typeof key[0] === "string" ? key[0] : null;

/** Letters with their subjects: one statement, however many they are. */
export async function withSubjects(
  { db, orgId, principal }: RequestScope,
  letters: readonly DeadLetter[],
): Promise<ShownLetter[]> {
  const windowIds = letters.map(windowIdOf).filter((id) => id !== null);
  const windows = windowIds.length === 0 ? [] : await loadWindowSubjects(db, orgId, windowIds);
  const windowOf = new Map(windows.map((window) => [window.windowId, window]));
  const mayName = principal.scopes.includes("review");
  return letters.map((letter) => ({
    ...letter,
    subject: {
      ...subjectOf(letter, windowOf.get(windowIdOf(letter) ?? "")),
      userId: mayName ? userOf(letter) : null,
    },
  }));
}
