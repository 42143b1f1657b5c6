/** Runs a corpus of vector files: reads all of them first, since one may stand on another's document. */
import { DocumentSource, type ReadFile } from "./documents";
import { readVector, type VectorFile } from "./read-vectors";
import { runVector, type VectorResult } from "./run-vector";
import type { BrokenVector, LoadedVector } from "./vector";

export interface CorpusOptions {
  readFile: ReadFile;
  /** Only the vectors of these names; empty, all. */
  only?: readonly string[];
  /** After each vector. */
  onResult?: (result: VectorResult) => void;
}

/** Results in the order of the files. */
export function runCorpus(files: readonly VectorFile[], options: CorpusOptions): VectorResult[] {
  const { readFile, only = [], onResult } = options;
  const readings = files.map(readVector);
  const loaded = readings.flatMap((reading) => (reading.ok ? [reading.loaded] : []));
  const source = new DocumentSource(loaded, readFile);
  const results: VectorResult[] = [];
  for (const reading of readings) {
    const name = reading.ok ? reading.loaded.vector.vector : reading.broken.name;
    if (only.length > 0 && !only.includes(name)) continue;
    const result = reading.ok ? runSafely(reading.loaded, source) : resultOf(reading.broken);
    results.push(result);
    onResult?.(result);
  }
  return results;
}

/** Whatever a vector does to the code under test, the others are run. */
function runSafely(loaded: LoadedVector, source: DocumentSource): VectorResult {
  try {
    return runVector(loaded, source);
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const { vector, level, group } = loaded.vector;
    const failures = [{ way: "vector", message: `it broke down: ${message}` }];
    return { name: vector, file: loaded.file, level, group, failures, runs: 0, notes: [], straight: null };
  }
}

const resultOf = ({ name, file, level, group, faults }: BrokenVector): VectorResult => ({
  name,
  file,
  level,
  group,
  failures: faults.map((fault) => ({ way: "vector", message: `broken: ${fault}` })),
  runs: 0,
  notes: [],
  straight: null,
});
