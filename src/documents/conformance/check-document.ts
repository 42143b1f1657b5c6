/** Vectors about documents alone: what the validator finds, and that a valid document survives its export. */
import { exportDocument } from "../export";
import type { Finding, Json, PlaybookDocument } from "../model";
import { canonicalJson } from "../text/canonical-json";
import { validateDocument } from "../validate";
import type { FindingExpectation } from "./vector";

export interface ValidatedTexts {
  findings: Finding[];
  /** Those that could be read, in order. */
  documents: PlaybookDocument[];
}

/** Validates texts as if they were published one after the other: each knows those before it that were valid. */
export function validateTexts(texts: readonly string[]): ValidatedTexts {
  const findings: Finding[] = [];
  const documents: PlaybookDocument[] = [];
  const others: PlaybookDocument[] = [];
  for (const text of texts) {
    const result = validateDocument({ text }, { mode: "publish", others: [...others] });
    findings.push(...result.findings);
    if (result.document) documents.push(result.document);
    if (result.document && result.valid) others.push(result.document);
  }
  return { findings, documents };
}

/**
 * Compares as sets. Errors must all be expected; a warning only counts where one is expected by its severity.
 * @returns what does not hold, in words
 */
export function checkFindings(
  expected: readonly FindingExpectation[],
  findings: readonly Finding[],
): string[] {
  const failures: string[] = [];
  for (const wanted of expected) {
    if (!findings.some((finding) => fits(wanted, finding))) {
      failures.push(`expected ${told(wanted)}, not found; found are ${list(findings)}`);
    }
  }
  for (const finding of findings) {
    if (finding.severity !== "error") continue;
    if (!expected.some((wanted) => fits(wanted, finding))) {
      failures.push(`not expected: ${told(finding)} ${finding.message}`);
    }
  }
  return failures;
}

function fits(wanted: FindingExpectation, finding: Finding): boolean {
  const hint = wanted.hint ?? "";
  return (
    wanted.code === finding.code &&
    (wanted.severity ?? "error") === finding.severity &&
    (wanted.path === undefined || wanted.path === finding.path) &&
    (wanted.cycle === undefined || wanted.cycle.join("\0") === finding.cycle?.join("\0")) &&
    (finding.hint?.includes(hint) === true || finding.message.includes(hint))
  );
}

function told({ code, path, severity, cycle, hint }: FindingExpectation): string {
  const parts = [code, path === undefined ? "anywhere" : `"${path}"`];
  if (severity === "warning") parts.push("(warning)");
  if (cycle) parts.push(cycle.join(">"));
  if (hint !== undefined) parts.push(`with "${hint}"`);
  return parts.join(" ");
}

const list = (findings: readonly Finding[]): string =>
  findings.length === 0 ? "none" : findings.map(told).join("; ");

/**
 * A round trip: the export reads as valid, equals what was imported but for the minor that it is written under, and
 * exports to the same bytes again.
 */
export function checkRoundTrip(document: PlaybookDocument): string[] {
  const text = exportDocument(document);
  const again = validateDocument({ text }, { mode: "publish" });
  if (!again.document || !again.valid) {
    const errors = again.findings.filter(({ severity }) => severity === "error");
    return [`the export is not valid: ${list(errors)}`];
  }
  const failures: string[] = [];
  if (withoutVersions(again.document) !== withoutVersions(document)) {
    failures.push("the export is not equal to what was imported");
  }
  if (exportDocument(again.document) !== text) failures.push("a second export differs from the first");
  return failures;
}

/** The export is written under the lowest minor that can express it (b.4), whatever the import was written under. */
function withoutVersions(document: PlaybookDocument): string {
  const value: Json = JSON.parse(JSON.stringify(document));
  const strip = (part: Json | undefined): void => {
    if (part !== null && typeof part === "object" && !Array.isArray(part)) delete part.opbVersion;
  };
  strip(value);
  if (value !== null && typeof value === "object" && !Array.isArray(value)) strip(value.playbook);
  return canonicalJson(value);
}
