/** How many items of a map were in flight at once, read off the records. */
import type { PlaybookDocument } from "../model";
import type { TraceRecord } from "../run/model";

/** The most at one time; an item counts until it has succeeded or failed, parked or not (ruling 21). */
export function peakInFlight(
  mapId: string,
  document: PlaybookDocument,
  records: readonly TraceRecord[],
): number {
  const name = itemNameOf(mapId, document);
  const flying = new Set<string>();
  let peak = 0;
  for (const { type, subject = "" } of records) {
    if (subject.replace(/\[\d+\]$/, "") !== name) continue;
    if (type === "map.item_started") flying.add(subject);
    else if (type === "map.item_succeeded" || type === "map.item_failed") flying.delete(subject);
    peak = Math.max(peak, flying.size);
  }
  return peak;
}

/** Items are named by the item step (ruling 4), those of a sub-playbook by the map. */
function itemNameOf(mapId: string, document: PlaybookDocument): string {
  const step = document.playbook.steps.find(({ id }) => id === mapId);
  if (step?.kind !== "map" || step.itemStep === undefined) return mapId;
  return typeof step.itemStep === "string" ? step.itemStep : step.itemStep.id;
}
