/** `npm run eval:embeddings [-- FILE]`: measures the static embedder beside feature hashing; exits 1 if not better. */
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { textVector } from "../src/platform/embedder/static";
import { parseStaticTable } from "../src/platform/embedder/static/table";
import { hashedVector } from "./embeddings/hashing";
import {
  areaUnderCurve,
  bestThreshold,
  type Similarities,
  similarities,
  type Triple,
  thresholdAtRecall,
} from "./embeddings/metrics";

const ROOT = new URL("../", import.meta.url);
const TABLE = new URL("assets/public/embeddings/static-v1.bin", ROOT);
const DEFAULT_SET = new URL("test/eval/paraphrases.json", ROOT);
const RULE_PAIRS = new URL("test/eval/rule-pairs.json", ROOT);
/** Precision weighs four times as much as recall: a wrong merge costs more than a missed one. */
const CLUSTERING_BETA = 0.5;
const RETRIEVAL_RECALL = 0.95;

const Triples = z
  .array(
    z.object({
      anchor: z.string().min(1),
      paraphrase: z.string().min(1),
      hard_negative: z.string().min(1),
      domain: z.string().optional(),
      kind: z.enum(["opposite", "neighbour"]).optional(),
    }),
  )
  .min(2);

async function main(): Promise<number> {
  const given = process.argv[2];
  const file = given ?? DEFAULT_SET;
  let triples: z.infer<typeof Triples>;
  try {
    triples = Triples.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    console.error(
      `cannot read paraphrases from ${file}: ${error instanceof Error ? error.message : "unreadable"}`,
    );
    return 2;
  }
  const bytes = await readFile(TABLE);
  const table = parseStaticTable(Uint8Array.from(bytes).buffer);
  const embed = (text: string) => textVector(table, text);

  console.log(`${triples.length} triples of ${given ?? "test/eval/paraphrases.json"}`);
  const better = compare(triples, embed);
  // Measured before this project on its reference set of 40 triples (shared/data/paraphrases.json).
  console.log(
    "for comparison, measured elsewhere: WordNet vectors 0.98 / 0.82 / 0.63, hashing 0.96 / 0.80 / 0.42",
  );

  const rules = Triples.parse(JSON.parse(await readFile(RULE_PAIRS, "utf8")));
  console.log(`\n${rules.length} rule pairs of test/eval/rule-pairs.json (negatives inside the domain)`);
  const rulesBetter = compare(rules, embed);
  const opposites = rules.filter((rule) => rule.kind === "opposite");
  printThresholds(similarities(rules, embed), similarities(opposites, embed).hard);
  if (better && rulesBetter) return 0;
  console.error("the static model is not better than feature hashing");
  return 1;
}

/** Prints one line per model; true if the static one is better in all three numbers, or as good at the top. */
function compare(triples: readonly Triple[], embed: (text: string) => Float32Array): boolean {
  console.log("model      AUC(random)  recall@1  AUC(hard)");
  const ours = scores(similarities(triples, embed));
  const baseline = scores(similarities(triples, hashedVector));
  console.log(`static     ${row(ours)}`);
  console.log(`hashing    ${row(baseline)}`);
  return ours.every((score, i) => score > (baseline[i] ?? 1) || score === 1);
}

function scores(measured: Similarities): number[] {
  return [
    areaUnderCurve(measured.same, measured.different),
    measured.recallAt1,
    areaUnderCurve(measured.same, measured.hard),
  ];
}

function row(values: readonly number[]): string {
  return values
    .map((value) => value.toFixed(3).padEnd(11))
    .join("  ")
    .trimEnd();
}

function printThresholds(measured: Similarities, opposites: readonly number[]): void {
  const clustering = bestThreshold(measured.same, measured.different, CLUSTERING_BETA);
  const retrieval = thresholdAtRecall(measured.same, RETRIEVAL_RECALL);
  const share = (values: readonly number[], at: number) =>
    `${((100 * values.filter((value) => value >= at).length) / values.length).toFixed(1)} %`;
  console.log(
    `clustering ${clustering.similarity.toFixed(3)}: maximises F${CLUSTERING_BETA} of same rule against other rules of the domain ` +
      `(precision ${clustering.precision.toFixed(3)}, recall ${clustering.recall.toFixed(3)})`,
  );
  console.log(
    `  opposite rules at or above it: ${share(opposites, clustering.similarity)} (no static model tells them apart)`,
  );
  console.log(
    `retrieval  ${retrieval.toFixed(3)}: ${100 * RETRIEVAL_RECALL} % of the paraphrases reach it ` +
      `(other rules of the domain: ${share(measured.different, retrieval)})`,
  );
  for (const at of [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7]) {
    console.log(
      `  at ${at.toFixed(2)}: same ${share(measured.same, at)}, other ${share(measured.different, at)}, ` +
        `hard ${share(measured.hard, at)}, opposite ${share(opposites, at)}`,
    );
  }
}

process.exitCode = await main();
