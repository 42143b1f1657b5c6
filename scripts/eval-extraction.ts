/**
 * Measures an extractor against labelled conversations: `npx tsx scripts/eval-extraction.ts
 * [--oracle FILE --inputs DIR] [--reasoner offline|llm] [--verbose]`. Without a set it uses test/eval/.
 * Conversations are read whole and in production's windows; exits 1 below the targets, 2 on bad usage.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { extractOffline } from "../src/platform/reasoner/offline/extract";
import type { TaskInput, TaskOutput } from "../src/platform/reasoner/port";
import { type Oracle, oracleSchema, payloadSchema } from "../test/eval/oracle";
import {
  type Extraction,
  type FileScore,
  type MicroVerdict,
  scoreFile,
  scoreMicro,
} from "../test/eval/score";
import { type EvalWindow, productionWindows, wholeConversation } from "../test/eval/windows";

/** What an extractor must reach on any set. */
const targets = { microPrecision: 0.9, microRecall: 0.6, importantRecall: 0.6, wrongRate: 0.2 };

type Extract = (input: TaskInput<"extract">) => Promise<TaskOutput<"extract">>;

const guidance = { agentContext: "", extractionDefinition: "", tools: [] };

async function extractorNamed(name: string): Promise<Extract> {
  if (name === "offline") return async (input) => extractOffline(input);
  if (name !== "llm") throw new UsageError(`--reasoner ${name}: expected offline or llm`);
  const { createLlmFromEnvironment } = await import("../test/eval/llm");
  const reasoner = await createLlmFromEnvironment(process.env);
  return async (input) => (await reasoner.run("extract", input)).output;
}

class UsageError extends Error {}

async function extractFrom(extract: Extract, windows: readonly EvalWindow[]): Promise<Extraction[]> {
  const found = new Map<string, Extraction>();
  for (const window of windows) {
    const { playbooks } = await extract({ turns: window.turns, guidance });
    for (const rule of playbooks) {
      const contents = new Map(window.turns.map((turn) => [turn.label, turn.content]));
      const spans = rule.evidence_spans;
      found.set(`${rule.trigger}\n${rule.content}`.toLowerCase(), {
        trigger: rule.trigger,
        content: rule.content,
        rationale: rule.rationale,
        kind: rule.evidence_kind,
        evidence: rule.evidence_refs.map((label) => window.indexOfLabel.get(label) ?? -1),
        spansAreVerbatim:
          spans === undefined ||
          rule.evidence_refs.every((label, at) =>
            (contents.get(label) ?? "").includes(spans[at] ?? "\u0000"),
          ),
      });
    }
  }
  return [...found.values()];
}

const percent = (part: number, all: number): string =>
  all === 0 ? "   –" : `${((100 * part) / all).toFixed(1)} %`;

function show(extraction: Extraction): string {
  return `[${extraction.kind} @${extraction.evidence.join(",")}] WHEN ${extraction.trigger} DO ${extraction.content}`;
}

interface FilesTotal {
  important: number;
  importantFound: number;
  extractions: number;
  wrong: number;
  extras: number;
  unverbatim: number;
}

function printFile(name: string, score: FileScore, isVerbose: boolean): void {
  const misses = [...score.missesByImportance]
    .sort((left, right) => right[0] - left[0])
    .map(([importance, ids]) => `${ids.join(",")}(${importance})`);
  console.log(
    `  ${name.padEnd(36)} ${String(score.extractions).padStart(3)} found  hits ${score.hits.join(",") || "–"}  misses ${misses.join(" ") || "–"}  extras ${score.extras.length}  false ${score.falsePositives.length}`,
  );
  if (!isVerbose) return;
  for (const extra of score.extras) console.log(`      extra  ${show(extra)}`);
  for (const wrong of score.falsePositives)
    console.log(`      FALSE  ${show(wrong.extraction)}\n             against: ${wrong.label}`);
}

async function runFiles(
  oracle: Oracle,
  inputs: string,
  extract: Extract,
  cut: typeof wholeConversation,
  isVerbose: boolean,
): Promise<FilesTotal> {
  const total: FilesTotal = {
    important: 0,
    importantFound: 0,
    extractions: 0,
    wrong: 0,
    extras: 0,
    unverbatim: 0,
  };
  for (const entry of oracle.files) {
    const payload = payloadSchema.parse(JSON.parse(readFileSync(join(inputs, entry.file), "utf8")));
    const extractions = await extractFrom(extract, cut(payload.interaction_data_list));
    const roles = payload.interaction_data_list.map((turn) => turn.role);
    const score = scoreFile(extractions, entry.expected, entry.must_not, roles);
    const important = entry.expected.filter((rule) => rule.importance === 3);
    total.important += important.length;
    total.importantFound += important.filter((rule) => score.hits.includes(rule.id)).length;
    total.extractions += extractions.length;
    total.wrong += score.falsePositives.length;
    total.extras += score.extras.length;
    total.unverbatim += score.unverbatim;
    printFile(entry.file, score, isVerbose);
    if (isVerbose) for (const extraction of extractions) console.log(`      .      ${show(extraction)}`);
  }
  return total;
}

async function runMicro(
  oracle: Oracle,
  extract: Extract,
  isVerbose: boolean,
): Promise<Map<MicroVerdict, number>> {
  const verdicts = new Map<MicroVerdict, number>();
  for (const [index, micro] of oracle.micro.entries()) {
    const extractions = await extractFrom(extract, wholeConversation(micro.turns));
    const verdict = scoreMicro(extractions, micro.expect);
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    const isFine = verdict === "hit" || verdict === "clean";
    if (!isFine || isVerbose)
      console.log(`  ${String(index).padStart(3)} ${verdict.padEnd(14)} ${micro.note}`);
    if (!isFine || isVerbose) for (const extraction of extractions) console.log(`      ${show(extraction)}`);
  }
  return verdicts;
}

/** True when the conversations reach their targets. */
function judgeFiles(title: string, total: FilesTotal): boolean {
  console.log(
    `  ${title}: importance-3 recall ${percent(total.importantFound, total.important)} (${total.importantFound}/${total.important}), wrong ${percent(total.wrong, total.extractions)}, extras ${total.extras} of ${total.extractions}, spans not verbatim ${total.unverbatim}`,
  );
  const isRecalled =
    total.important === 0 || total.importantFound / total.important >= targets.importantRecall;
  return isRecalled && total.wrong <= targets.wrongRate * total.extractions && total.unverbatim === 0;
}

function judgeMicro(verdicts: ReadonlyMap<MicroVerdict, number>): boolean {
  const count = (verdict: MicroVerdict): number => verdicts.get(verdict) ?? 0;
  const right = count("hit");
  const answered = right + count("wrong") + count("false-positive");
  const asked = right + count("wrong") + count("miss");
  console.log(
    `  micro: precision ${percent(right, answered)} (${right}/${answered}), recall ${percent(right, asked)} (${right}/${asked}), false positives ${count("false-positive")}`,
  );
  return (
    (answered === 0 || right / answered >= targets.microPrecision) &&
    (asked === 0 || right / asked >= targets.microRecall)
  );
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      oracle: { type: "string" },
      inputs: { type: "string" },
      reasoner: { type: "string", default: "offline" },
      verbose: { type: "boolean", default: false },
    },
  });
  const home = join(import.meta.dirname, "../test/eval");
  const oraclePath = values.oracle ?? join(home, "oracle.json");
  const inputs = values.inputs ?? join(home, "conversations");
  if (!existsSync(oraclePath))
    throw new UsageError(`${oraclePath}: no such file; pass --oracle FILE --inputs DIR`);
  const oracle = oracleSchema.parse(JSON.parse(readFileSync(oraclePath, "utf8")));
  const extract = await extractorNamed(values.reasoner);
  console.log(
    `Extraction by ${values.reasoner}: ${oracle.files.length} conversations, ${oracle.micro.length} micro cases\n\nWhole conversations`,
  );
  const whole = await runFiles(oracle, inputs, extract, wholeConversation, values.verbose);
  console.log("\nProduction windows (10 turns, stride 8)");
  const windowed = await runFiles(oracle, inputs, extract, productionWindows, values.verbose);
  console.log("\nMicro cases");
  const verdicts = await runMicro(oracle, extract, values.verbose);
  console.log("\nTotals");
  return [judgeFiles("whole", whole), judgeFiles("windows", windowed), judgeMicro(verdicts)].every(Boolean);
}

try {
  const isReached = await main();
  console.log(isReached ? "\nTargets reached." : "\nBelow the targets.");
  process.exitCode = isReached ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
