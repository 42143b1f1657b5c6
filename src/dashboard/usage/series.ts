/** Tasks of the reasoner as the six kinds of work that a chart tells apart. Pure. */
import { stack } from "d3-shape";
import type { DayUsage, Spent } from "../../orgs/usage-report";

export const workKinds = ["gate", "extraction", "review", "consolidation", "synthesis", "other"] as const;
export type WorkKind = (typeof workKinds)[number];

export const kindWords: Record<WorkKind, string> = {
  gate: "Gate",
  extraction: "Extraction",
  review: "Review of rules",
  consolidation: "Consolidation",
  synthesis: "Synthesis",
  other: "Tags and queries",
};

const kindOfTask: Readonly<Record<string, WorkKind>> = {
  shouldExtract: "gate",
  shouldExtractExpert: "gate",
  extract: "extraction",
  extractExpert: "extraction",
  reviewCandidates: "review",
  reviewStored: "review",
  consolidate: "consolidation",
  synthesise: "synthesis",
};

const kindOf = (task: string): WorkKind =>
  Object.hasOwn(kindOfTask, task) ? (kindOfTask[task] ?? "other") : "other";

/** What a chart of tokens counts. */
export type Direction = "inputTokens" | "outputTokens";

export type KindValues = Record<WorkKind, number>;

/** Tokens of one day by kind of work. */
export function tokensByKind(tasks: ReadonlyMap<string, Spent>, direction: Direction): KindValues {
  const values: KindValues = {
    gate: 0,
    extraction: 0,
    review: 0,
    consolidation: 0,
    synthesis: 0,
    other: 0,
  };
  for (const [task, spent] of tasks) values[kindOf(task)] += spent[direction];
  return values;
}

/** Kinds that occur in these days, in the order in which they are stacked. */
export const kindsIn = (days: readonly DayUsage[]): WorkKind[] =>
  workKinds.filter((kind) => days.some((day) => [...day.tasks.keys()].some((task) => kindOf(task) === kind)));

export interface Segment {
  kind: WorkKind;
  /** Position of the day. */
  day: number;
  from: number;
  to: number;
}

/** Segments of stacked bars, the first kind at the bottom; empty ones are left out. */
export function stacked(values: readonly KindValues[], kinds: readonly WorkKind[]): Segment[] {
  const layers = stack<KindValues, WorkKind>().keys(kinds)([...values]);
  return layers.flatMap((layer) =>
    layer.flatMap(([from, to], day) => (to > from ? [{ kind: layer.key, day, from, to }] : [])),
  );
}
