/** Why a reviewer decides: the codes, which of several wins, and which can only reject (specification 10). Pure. */
import { type ReviewReasonCode, reviewReasonCodes } from "../platform/reasoner/port";

export const isReasonCode = (text: string): text is ReviewReasonCode =>
  reviewReasonCodes.some((code) => code === text);

/** A rule with one of these faults has nothing in it that a narrower wording could save (trap 21). */
export const rejectOnly: ReadonlySet<string> = new Set(["absence_inference", "not_agent_decision"]);

/**
 * The code of a decision. Of several the first by precedence; a reviewer that names none means the usual one. A
 * text with an unknown code in it comes back as it is, for its caller to refuse.
 */
export function reasonCodeOf(decision: { decision: string; reason_code: string }): string {
  const named = decision.reason_code
    .split(",")
    .map((code) => code.trim())
    .filter((code) => code !== "");
  if (named.length === 0) return decision.decision === "reject" ? "unsupported_evidence" : "grounded_useful";
  if (!named.every(isReasonCode)) return decision.reason_code.trim();
  return reviewReasonCodes.find((code) => named.includes(code)) ?? "";
}
