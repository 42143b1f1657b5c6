/** The validator: everything that is wrong with a document, at once, and the document in canonical names. */
import type { Finding, PlaybookDocument } from "../model";
import type { FindingCode } from "../spec";
import { canonicalDocument } from "./canonical";
import { checkConfig } from "./config";
import { checkDependencies } from "./dependencies";
import { checkDurations } from "./durations";
import { checkFeatures } from "./features";
import { checkFilters } from "./filters";
import { checkGraph } from "./graph";
import { checkGuardrails } from "./guardrails";
import { checkIdentity } from "./identity";
import { checkLimits } from "./limits";
import { checkProvenance } from "./provenance";
import { type DocumentInput, type ReadDocument, readDocument } from "./read";
import { checkReferences } from "./references";
import { Findings, type Report } from "./report";
import { checkSchedules } from "./schedules";
import { checkSecrets } from "./secrets";
import { checkShape } from "./shape";
import { checkSteps } from "./steps";
import { checkSubPlaybooks } from "./sub-playbooks";
import { checkTools } from "./tools";
import { checkTriggers } from "./triggers";
import { checkVersions } from "./versions";
import { type DocumentView, viewDocument } from "./view";

export type { DocumentInput } from "./read";

export interface ValidateOptions {
  /** `inspect` only looks: a newer minor is a warning there, and a draft may have triggers. */
  mode: "publish" | "inspect";
  /** The published playbooks of the same owner; what needs them is not checked without. */
  others?: readonly PlaybookDocument[];
  /** From where on changes of the clocks are looked for, in milliseconds since 1970 (T315). */
  nowMs?: number;
  /** How long schedules must pause at least, where that is more than the format's 60 s (T314). */
  cronMinGapSeconds?: number;
}

export interface Validation {
  /** Whether there is no error; warnings are allowed. */
  valid: boolean;
  /** Sorted by path (`comparePaths`), then by code. */
  findings: Finding[];
  /** In canonical names, whenever it could be read; its shape is to be trusted only when `valid`. */
  document: PlaybookDocument | null;
}

/**
 * One pass of the validator. Passes survive whatever they look at, are independent of each other, and stay silent
 * about what they cannot read.
 */
export type Pass = (view: DocumentView, report: Report, options: ValidateOptions) => void;

/** In any order: findings are sorted. */
const PASSES: readonly Pass[] = [
  checkShape,
  checkVersions,
  checkFeatures,
  checkIdentity,
  checkProvenance,
  checkConfig,
  checkTriggers,
  checkFilters,
  checkSchedules,
  checkDependencies,
  checkSteps,
  checkDurations,
  checkLimits,
  checkGraph,
  checkReferences,
  checkTools,
  checkGuardrails,
  checkSecrets,
  checkSubPlaybooks,
];

/** Validates a text or a value. It never throws, whatever it is given. */
export function validateDocument(input: DocumentInput, options: ValidateOptions): Validation {
  const findings = new Findings();
  const read = readDocument(input, findings.report);
  if (!read.source) return verdict(findings, null);
  const { document, toSource } = canonicalDocument(
    read.source,
    placed(findings, read, (pointer) => pointer),
  );
  const view = viewDocument(document);
  const report = placed(findings, read, toSource);
  for (const pass of PASSES) pass(view, report, options);
  // Of a document with errors this promises too much, as `Validation` says.
  return verdict(findings, document as unknown as PlaybookDocument);
}

function verdict(findings: Findings, document: PlaybookDocument | null): Validation {
  const sorted = findings.sorted();
  return { valid: !sorted.some(({ severity }) => severity === "error"), findings: sorted, document };
}

/** Findings about a member's name rather than its value. */
const ABOUT_NAMES: ReadonlySet<FindingCode> = new Set(["E105", "E112", "R702", "S404"]);

/** Puts findings where they belong in what was given: under the names that stand there, with line and column. */
const placed =
  (findings: Findings, read: ReadDocument, toSource: (pointer: string) => string): Report =>
  (code, path, message, details = {}) => {
    const at = toSource(path);
    const place = (ABOUT_NAMES.has(code) ? read.keyAt(at) : null) ?? read.at(at);
    const position = place ? { line: place.line, column: place.column } : undefined;
    findings.report(code, at, message, { position, ...details });
  };
