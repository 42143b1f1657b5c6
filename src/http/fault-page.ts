/** A failure as a page for people, without markup of anybody else's and without anything to load. */
import type { Failure, FailureKind } from "../platform/failure";

const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

const CSS = `:root{color-scheme:light dark}body{margin:0;font:16px/1.5 system-ui,sans-serif;
background:light-dark(#f6f6f3,#141618);color:light-dark(#1c2024,#e8eaed)}
main{max-width:36rem;margin:0 auto;padding:3rem 1rem}h1{font-size:1.4rem;line-height:1.25;margin:0 0 .75rem}
p,li{overflow-wrap:anywhere}a{color:light-dark(#0b57d0,#8ab4f8)}
a:focus-visible{outline:3px solid;outline-offset:2px}`;

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
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Playmaker: ${heading}</title><link rel="icon" href="data:,"><style>${CSS}</style></head><body><main><h1>${heading}</h1>${shown}<p><a href="/">Back to the review desk</a></p></main></body></html>`;
}
