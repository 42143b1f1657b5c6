/** Runs one vector, whatever its group, and says everything that does not hold. */
import type { Observed } from "../host/observe";
import { publishText } from "../host/simulate";
import type { Finding, PlaybookDocument } from "../model";
import { checkFindings, checkRoundTrip, validateTexts } from "./check-document";
import { checkRun, type RunFailure, type Ways } from "./check-run";
import { DocumentError, type DocumentSource } from "./documents";
import type { LoadedVector, Vector, VectorGroup } from "./vector";

export interface VectorResult {
  name: string;
  file: string;
  level: 1 | 2 | 3;
  /** Null for a vector that does not say it. */
  group: VectorGroup | null;
  failures: RunFailure[];
  /** How many runs were made for it. */
  runs: number;
  /** Worth knowing, but no failure. */
  notes: string[];
  straight: Observed | null;
}

/** @param ways `straight` leaves out crashes and replay */
export function runVector(loaded: LoadedVector, source: DocumentSource, ways: Ways = "all"): VectorResult {
  const { vector } = loaded;
  const result: VectorResult = {
    name: vector.vector,
    file: loaded.file,
    level: vector.level,
    group: vector.group,
    failures: [],
    runs: 0,
    notes: [],
    straight: null,
  };
  try {
    const texts = source.textsOf(loaded);
    const { findings, documents } = validateTexts(texts);
    if (vector.group === "valid" || vector.group === "invalid") {
      checkDocuments(vector, findings, documents, result);
      if (!vector.start) return result;
    }
    if (documents.length < texts.length) {
      result.failures.push({ way: "vector", message: "a document could not be read, so nothing can run" });
    } else playVector(loaded, documents, findings, source, result, ways);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    result.failures.push({ way: "vector", message: `broken: ${error.message}` });
  }
  return result;
}

function checkDocuments(
  vector: Extract<Vector, { group: "valid" | "invalid" }>,
  findings: readonly Finding[],
  documents: readonly PlaybookDocument[],
  result: VectorResult,
): void {
  const fail = (message: string): void => {
    result.failures.push({ way: "document", message });
  };
  for (const message of checkFindings(vector.expect.findings ?? [], findings)) fail(message);
  if (vector.roundTrip !== true && vector.expect.roundTrip !== true) return;
  if (documents.length === 0) fail("there is no document that could be exported");
  for (const document of documents) for (const message of checkRoundTrip(document)) fail(message);
}

function playVector(
  loaded: LoadedVector,
  documents: readonly PlaybookDocument[],
  findings: readonly Finding[],
  source: DocumentSource,
  result: VectorResult,
  ways: Ways,
): void {
  const { vector } = loaded;
  const { start, harness, script } = vector;
  if (!start) return;
  const [first, ...others] = documents;
  const isTriggers = vector.group === "triggers";
  const main = isTriggers && !start.trigger ? null : (first ?? null);
  const check = checkRun(
    {
      start,
      harness,
      script,
      main,
      // The run of a runtime vector is of its first document, which need not be published for that.
      published: isTriggers ? documents : others,
      publish: (document, published) => publishText(source.textOf(document, loaded), published),
    },
    vector.expect,
    isTriggers,
    ways,
  );
  result.failures.push(...check.failures);
  result.notes.push(...check.notes);
  result.runs = check.runs;
  result.straight = check.straight;
  // A draft may be known to a host; that its triggers start nothing is what such a vector is about.
  const errors = findings.filter(({ severity, code }) => severity === "error" && code !== "D207");
  if (errors.length > 0 && vector.group !== "invalid") {
    const codes = errors.map(({ code, path }) => `${code} ${path}`).join(", ");
    result.notes.push(`its documents have errors: ${codes}`);
  }
  for (const place of check.straight?.unscripted ?? []) {
    result.notes.push(`harness/${place} has no answers, and was answered with nothing`);
  }
}
