/** New and stored rows as a consolidation is shown them: by position, never by id. Pure. */
import type { TaskInput } from "../platform/reasoner/port";
import { evidenceGroups } from "./evidence-groups";
import { existingLabel, newLabel } from "./labels";
import type { Lesson, StoredLesson } from "./model";

/** The rows as a reasoner sees them; `source` is the run's. */
export function consolidationInput(
  fresh: readonly Lesson[],
  existing: readonly StoredLesson[],
  run: { source: string; nowSec: number },
): Omit<TaskInput<"consolidate">, "repair"> {
  const groups = evidenceGroups([...fresh, ...existing].map((row) => row.sourceInteractionIds));
  const minuteOf = (atSec: number) => `${new Date(atSec * 1000).toISOString().slice(0, 16)}Z`;
  const shown = (
    row: Lesson | StoredLesson,
    label: string,
    group: number,
    source: string,
    atSec: number,
  ) => ({
    label,
    trigger: row.trigger,
    content: row.content,
    rationale: row.rationale,
    span: row.sourceSpan,
    evidenceGroup: groups[group] ?? "",
    source,
    dateToMinute: minuteOf(atSec),
  });
  return {
    fresh: fresh.map((row, index) => shown(row, newLabel(index), index, run.source, run.nowSec)),
    existing: existing.map((row, index) =>
      shown(row, existingLabel(index), fresh.length + index, row.source, row.createdAtSec),
    ),
  };
}
