/** How a failure and an answer are worded: fixed where a route is registered, never guessed. */
import type { Failure } from "../platform/failure";

export type Dialect = "reflexio" | "own" | "page";

export interface Rendered {
  status: number;
  contentType: string;
  body: unknown;
}

/** `/a/0/b` becomes `["body", "a", 0, "b"]`, as Reflexio's clients read it. */
const locationOf = (pointer: string): (string | number)[] => [
  "body",
  ...pointer
    .split("/")
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll("~1", "/").replaceAll("~0", "~"))),
];

/** RFC 9457, with `errors` for faults of an input and `error` for clients that read one line. */
function problem(failure: Failure): Rendered {
  return {
    status: failure.status,
    contentType: "application/problem+json",
    body: {
      type: "about:blank",
      title: failure.kind,
      status: failure.status,
      detail: failure.message,
      error: failure.message,
      ...(failure.issues.length > 0 && {
        errors: failure.issues.map(({ pointer, message, expected }) => ({ pointer, message, expected })),
      }),
    },
  };
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A page for people, without markup of anybody else's. */
function page(failure: Failure): Rendered {
  const faults = failure.issues.map(
    ({ message, expected }) => `<li>${escapeHtml(message)} Expected: ${escapeHtml(expected)}.</li>`,
  );
  return {
    status: failure.status,
    contentType: "text/html; charset=utf-8",
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Playmaker</title><h1>${failure.status}</h1><p>${escapeHtml(failure.message)}</p><ul>${faults.join("")}</ul><p><a href="/">Back to the review desk</a></p></html>`,
  };
}

/** Renders a failure. 401, 413 and 429 speak `own` whatever the route's dialect. */
export function renderFailure(dialect: Dialect, failure: Failure): Rendered {
  if (dialect === "page") return page(failure);
  if (dialect === "own" || [401, 413, 429].includes(failure.status)) return problem(failure);
  const detail =
    failure.issues.length === 0
      ? failure.message
      : failure.issues.map(({ pointer, message, expected, type }) => ({
          type,
          loc: locationOf(pointer),
          msg: message,
          pointer,
          expected,
        }));
  return { status: failure.status, contentType: "application/json", body: { detail } };
}

/** Drops keys whose value is null (`exclude none`), at every depth except inside free JSON values. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) =>
      entry === null || entry === undefined ? [] : [[key, key === "tool_data" ? entry : withoutNulls(entry)]],
    ),
  );
}

/** Renders an answer: `reflexio` drops null keys, `own` keeps them. */
export const renderAnswer = (dialect: Dialect, body: unknown): unknown =>
  dialect === "reflexio" ? withoutNulls(body) : body;
