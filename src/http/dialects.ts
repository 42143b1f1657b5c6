/** How a failure and an answer are worded: fixed where a route is registered, never guessed. */
import type { Failure, Issue } from "../platform/failure";
import { renderFaultPage } from "./fault-page";
import { placeOf } from "./validation";

export type Dialect = "reflexio" | "own" | "page";

export interface Rendered {
  status: number;
  contentType: string;
  body: unknown;
}

/** `/a/0/b` of a body becomes `["body", "a", 0, "b"]`, as Reflexio's clients read it. */
function locationOf(issue: Issue): (string | number)[] {
  const place = placeOf(issue);
  const parts = issue.pointer.split("/").slice(place === "body" ? 1 : 2);
  return [
    place,
    ...parts.map((part) =>
      /^\d+$/.test(part) ? Number(part) : part.replaceAll("~1", "/").replaceAll("~0", "~"),
    ),
  ];
}

/** RFC 9457, with `errors` for faults of an input and `error` for clients that read one line. */
export function problem(failure: {
  kind: string;
  status: number;
  message: string;
  issues: readonly Issue[];
}): Rendered {
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

/** Renders a failure. 401, 413 and 429 speak `own` whatever the route's dialect. */
export function renderFailure(dialect: Dialect, failure: Failure): Rendered {
  if (dialect === "page") {
    const body = renderFaultPage(failure);
    return { status: failure.status, contentType: "text/html; charset=utf-8", body };
  }
  if (dialect === "own" || [401, 413, 429].includes(failure.status)) return problem(failure);
  const detail =
    failure.issues.length === 0
      ? failure.message
      : failure.issues.map((issue) => ({
          type: issue.type,
          loc: locationOf(issue),
          msg: issue.message,
          pointer: issue.pointer,
          expected: issue.expected,
        }));
  return { status: failure.status, contentType: "application/json", body: { detail } };
}

/** Keys whose values are a caller's own JSON. */
const FREE_JSON: readonly string[] = ["tool_data", "metadata"];

/** Drops keys whose value is null (`exclude none`), at every depth except inside free JSON values. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) =>
      entry === null || entry === undefined
        ? []
        : [[key, FREE_JSON.includes(key) ? entry : withoutNulls(entry)]],
    ),
  );
}

/** Renders an answer: `reflexio` drops null keys, `own` keeps them. */
export const renderAnswer = (dialect: Dialect, body: unknown): unknown =>
  dialect === "reflexio" ? withoutNulls(body) : body;
