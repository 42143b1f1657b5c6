/** What a run of the corpus says to people: failures, notes, a table, the level, and the count as the last line. */
import { entryOf, mergedTrace } from "../host/observe";
import { instantText } from "../triggers/reducer";
import { type GroupCount, LEVELS, type Summary } from "./levels";
import type { VectorResult } from "./run-vector";

/** One vector's failures and notes; nothing of a vector that just passed. */
export function resultLines({ name, file, failures, notes }: VectorResult): string[] {
  const lines = failures.map(({ way, message }) => `FAIL ${name} [${way}] ${message}`);
  if (failures.length > 0) lines.push(`     ${file}`);
  return [...lines, ...notes.map((note) => `note ${name}: ${note}`)];
}

export function summaryLines(summary: Summary): string[] {
  const rows = [["level", "group", "passed", "failed"], ...summary.groups.map(cellsOf)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) =>
    row
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
  return [
    ...table,
    "",
    levelLine(summary),
    `${summary.runs} runs were made.`,
    `${summary.passed} passed, ${summary.failed} failed`,
  ];
}

const cellsOf = ({ level, group, passed, failed }: GroupCount): string[] => [
  `L${level}`,
  group,
  String(passed),
  String(failed),
];

function levelLine({ groups, level }: Summary): string {
  const empty = LEVELS.filter((one) => one <= level && !groups.some((group) => group.level === one));
  const unproven = empty.length > 0 ? ` (there are no vectors of level ${empty.join(", ")})` : "";
  return level === 0 ? "No level is reached." : `Level ${level} is reached${unproven}.`;
}

/** The trace of a vector's straight run, with virtual times; of each run, when there are several. */
export function traceLines({ name, straight }: VectorResult): string[] {
  if (!straight) return [`${name} made no run.`];
  const isAlone = straight.runs.length === 1;
  const runs = mergedTrace(straight.runs).map(({ record, runIndex }) => {
    const data = record.data === undefined ? "" : ` ${JSON.stringify(record.data)}`;
    return `${instantText(record.atMs)} ${isAlone ? "" : `run ${runIndex + 1} `}${entryOf(record)}${data}`;
  });
  const host = straight.hostRecords.map((record) => `${instantText(record.atMs)} host ${entryOf(record)}`);
  const ends = straight.runs.map(
    ({ runId, view }) => `${runId} ${view.status} ${JSON.stringify(view.outcome)} active ${view.activeMs} ms`,
  );
  return [`── ${name}`, ...runs, ...host, ...ends];
}

/** For programs. */
export const reportJson = (results: readonly VectorResult[], summary: Summary): string =>
  JSON.stringify({ ...summary, vectors: results.map(({ straight: _, ...result }) => result) }, null, 2);
