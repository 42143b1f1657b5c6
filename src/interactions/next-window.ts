/** The next window of a user's stream, with what learning must know to extract from it. */
import type { Database } from "../db/client";
import { type ExtractorKind, windowPolicy } from "../orgs/config";
import { configByHash } from "../orgs/config-store";
import { type Cursor, readStreamHead, readWindowFacts } from "./stream-store";
import { selectWindow, type WindowSelection } from "./windows";

export interface NextWindow extends Omit<WindowSelection, "kind"> {
  /** Where the cursor stood; what is applied must find it there. */
  cursor: Cursor;
  /** The config that the first new turn was admitted under: it sets the window's width and prompts. */
  configHash: string;
  /** Of the last new turn. */
  agentVersion: string;
  requestId: string;
  source: string;
}

/** No window yet: turns are missing, or nothing lies beyond the cursor. */
export interface Waiting {
  waiting: "waiting_for_window" | "no_input";
}

/** D1 statements that {@link nextWindow} takes at most. */
export const NEXT_WINDOW_STATEMENTS = 6;

/** Reads at most about three windows' worth of turns, however long the stream is. */
export async function nextWindow(
  db: Database,
  orgId: string,
  userId: string,
  kind: ExtractorKind,
): Promise<NextWindow | Waiting> {
  const { cursor, first } = await readStreamHead(db, orgId, userId, kind);
  if (first === null) return { waiting: "no_input" };
  const config = await configByHash(db, orgId, first.configHash);
  const policy = windowPolicy(config, kind);
  const facts = await readWindowFacts(db, {
    orgId,
    userId,
    kind,
    afterSeq: cursor.completedSeq,
    windowSize: policy.windowSize,
  });
  const selection = selectWindow({ ...facts, started: cursor.started, policy });
  if (selection.kind === "none") return { waiting: selection.reason };
  const { kind: _window, ...window } = selection;
  const last = facts.fresh.find(({ seq }) => seq === window.endSeq);
  return {
    ...window,
    cursor,
    configHash: first.configHash,
    agentVersion: last?.agentVersion ?? "",
    requestId: last?.requestId ?? "",
    source: last?.source ?? "",
  };
}
