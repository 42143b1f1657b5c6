/** The one revision made offline: cutting a trailing clause of the content that no cited words support. */
import type { TaskInput } from "../port";
import { contentStems } from "./topics";

type Candidate = TaskInput<"reviewCandidates">["candidates"][number];

/** The rule without unsupported clauses, or null when nothing is to be cut or nothing would be left. */
export function narrowed(
  candidate: Candidate,
): { trigger: string; content: string; rationale: string } | null {
  const cited = contentStems(candidate.evidence.map((unit) => unit.text).join(" "));
  const clauses = candidate.content.split(/(?<=[.;])\s+/);
  if (clauses.length < 2) return null;
  const supported = clauses.filter((clause) => {
    const stems = [...contentStems(clause)];
    return stems.length < 3 || stems.some((stem) => cited.has(stem));
  });
  if (supported.length === clauses.length || supported.length === 0) return null;
  const content = supported.join(" ").replace(/[;\s]+$/, "");
  if (contentStems(content).size < 2) return null;
  return {
    trigger: candidate.trigger,
    content: /[.!?]$/.test(content) ? content : `${content}.`,
    rationale: candidate.rationale,
  };
}
