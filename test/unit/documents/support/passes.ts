/** Runs single passes of the validator over documents that need not be whole. */
import type { Finding, Json, JsonObject, PlaybookDocument } from "../../../../src/documents/model";
import type { Pass } from "../../../../src/documents/validate";
import { Findings } from "../../../../src/documents/validate/report";
import { viewDocument } from "../../../../src/documents/validate/view";

/** Any value, as the JSON that it stands for. */
export const jsonOf = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));

export function findingsOf(pass: Pass, document: unknown, others?: PlaybookDocument[]): Finding[] {
  const findings = new Findings();
  pass(viewDocument(jsonOf(document)), findings.report, { mode: "publish", ...(others ? { others } : {}) });
  return findings.sorted();
}

/** `G502 /playbook/steps/0/next`, in order. */
export const found = (pass: Pass, document: unknown, others?: PlaybookDocument[]): string[] =>
  findingsOf(pass, document, others).map(({ code, path }) => `${code} ${path}`);

/** A document of these steps and nothing else but what is given. */
export const withSteps = (
  steps: Json | unknown[],
  playbook: object = {},
  requires: object = {},
): JsonObject => jsonOf({ requires, playbook: { steps, ...playbook } });
