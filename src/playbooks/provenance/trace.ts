/** From which turns rules were learned: those they cite, or else those they were probably learned from. */
import type { Database } from "../../db/client";
import type { InteractionView } from "../../interactions/views";
import type { PlaybookSource, UserPlaybook } from "../model";
import { loadLikelyPlaces, loadProvenTurns, type TurnPlace } from "./store";

/** Turns of one answer; the first named are shown. */
export const MAX_TURNS = 1_000;

export const provenanceStatuses = ["exact", "best_effort", "unavailable"] as const;
export type ProvenanceStatus = (typeof provenanceStatuses)[number];

export interface Trace {
  /** Oldest first. */
  turns: InteractionView[];
  /** What the rule cites, shown or not. */
  citedIds: number[];
  /** Every cited turn is shown, and there is one. */
  isExact: boolean;
}

/** What `source` says was used of a rule, or all that the rule cites. */
const citedOf = (row: UserPlaybook, source: PlaybookSource | undefined): number[] => [
  ...new Set(
    source !== undefined && source.sourceInteractionIds.length > 0
      ? source.sourceInteractionIds
      : row.sourceInteractionIds,
  ),
];

/** Turns of the window, where it is known; it is nearer than the whole publish call. */
async function likelyPlaces(db: Database, orgId: string, rows: readonly UserPlaybook[]) {
  const untraced = rows.map(({ userPlaybookId, userId, windowId, requestId }) => {
    return { userPlaybookId, userId, windowId, requestId };
  });
  const found = await loadLikelyPlaces(db, orgId, untraced, MAX_TURNS);
  const placesOf = new Map<number, TurnPlace[]>();
  for (const [id, places] of Map.groupBy(found, ({ userPlaybookId }) => userPlaybookId)) {
    const ofWindow = places.filter(({ via }) => via === "window");
    placesOf.set(
      id,
      (ofWindow.length > 0 ? ofWindow : places).map(({ place }) => place),
    );
  }
  return placesOf;
}

const keyOf = ([userId, interactionId]: TurnPlace): string => JSON.stringify([userId, interactionId]);

/** @param sources where another rule was made from these, which of their turns it used */
export async function trace(
  db: Database,
  orgId: string,
  rows: readonly UserPlaybook[],
  sources: readonly PlaybookSource[] = [],
): Promise<Map<number, Trace>> {
  const sourceOf = new Map(sources.map((source) => [source.userPlaybookId, source]));
  const cited = new Map(rows.map((row) => [row, citedOf(row, sourceOf.get(row.userPlaybookId))]));
  const silent = rows.filter((row) => cited.get(row)?.length === 0);
  const likely = await likelyPlaces(db, orgId, silent);
  const placesOf = (row: UserPlaybook): readonly TurnPlace[] => {
    const ids = cited.get(row) ?? [];
    const { userId } = row;
    if (ids.length === 0) return likely.get(row.userPlaybookId) ?? [];
    return userId === null ? [] : ids.map((id) => [userId, id] as const);
  };
  const wanted = new Map(rows.flatMap(placesOf).map((place) => [keyOf(place), place]));
  const turns = await loadProvenTurns(db, orgId, [...wanted.values()].slice(0, MAX_TURNS));
  const byPlace = new Map(turns.map((turn) => [keyOf([turn.user_id, turn.interaction_id]), turn]));
  return new Map(
    rows.map((row) => {
      const citedIds = cited.get(row) ?? [];
      const shown = new Set(placesOf(row).map(keyOf));
      const own = [...byPlace].filter(([key]) => shown.has(key)).map(([, turn]) => turn);
      const isExact = citedIds.length > 0 && own.length === citedIds.length;
      return [row.userPlaybookId, { turns: own, citedIds, isExact }];
    }),
  );
}

/** Exact where every rule is there and exactly traced; unavailable where no turn is left. */
export function statusOf(traces: readonly Trace[], isComplete: boolean): ProvenanceStatus {
  if (traces.every(({ turns }) => turns.length === 0)) return "unavailable";
  return isComplete && traces.every(({ isExact }) => isExact) ? "exact" : "best_effort";
}
