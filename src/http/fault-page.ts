/** A failure as a page for people, without markup of anybody else's. It loads the desk's stylesheet and nothing else. */
import type { Failure, FailureKind } from "../platform/failure";

const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/** What happened, in the words of somebody at a desk. */
const headingOf: Partial<Record<FailureKind, string>> = {
  unauthorized: "Please sign in",
  forbidden: "This is not yours to do",
  not_found: "That is not here any more",
  conflict: "Somebody was faster",
  precondition_failed: "Somebody was faster",
  invalid: "Something in the form is not right",
  limited: "Too fast",
  internal: "Something went wrong",
  unavailable: "Closed",
};

/** The field a pointer names: `/content` is "content". */
const fieldOf = (pointer: string): string => pointer.split("/").at(-1) ?? "";

/** The page, whole. */
export function renderFaultPage({ kind, message, issues }: Failure): string {
  const heading = headingOf[kind] ?? "That did not work";
  const faults = issues.map(
    ({ pointer, message: fault, expected }) =>
      `<li><strong>${escapeHtml(fieldOf(pointer))}</strong>: ${escapeHtml(fault)} Expected: ${escapeHtml(expected)}.</li>`,
  );
  const shown = faults.length === 0 ? `<p>${escapeHtml(message)}</p>` : `<ul>${faults.join("")}</ul>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${heading} · Playmaker</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/desk/desk.css"></head><body><main class="alone"><div class="card"><h1>${heading}</h1>${shown}<p><a href="/">Back to the review desk</a></p></div></main></body></html>`;
}
