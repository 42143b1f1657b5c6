/** A query in plain words from a model, whose answer is not trusted (specification 9.4, trap 67). */
import { ReasonerError, type TaskAnswer, type TaskInput } from "../platform/reasoner/port";
import { withDeadline } from "./deadline";

export interface HistoryTurn {
  role: string;
  content: string;
}

/** The one task that is asked here; every reasoner can. */
export interface QueryReasoner {
  run(
    task: "reformulate",
    input: TaskInput<"reformulate">,
    signal?: AbortSignal,
  ): Promise<TaskAnswer<"reformulate">>;
}

const TIMEOUT_MS = 5_000;
const MAX_TURNS = 10;
const MAX_HISTORY_CHARS = 4_000;
const MAX_QUERY_CHARS = 512;
const QUOTES = /^["'`\u201c\u201d\u2018\u2019\u00ab\u00bb]+|["'`\u201c\u201d\u2018\u2019\u00ab\u00bb]+$/gu;
const STRUCTURE = /[{}[\]<>]/;
const REFUSAL =
  /^(?:i(?:'m| am)? (?:sorry|unable|cannot|can't|can not)|sorry\b|unfortunately\b|as an ai\b|i (?:cannot|can't|could not|don't|do not) )|^(?:here(?: is|'s)|sure\b|certainly\b|the (?:reformulated|rewritten) query\b)/i;

/** The reformulated query, or the original one where the model fails, refuses or answers something else. */
export async function reformulate(
  reasoner: QueryReasoner,
  query: string,
  history: readonly HistoryTurn[],
): Promise<string> {
  const input = { query, history: recent(history) };
  const attempt = async (): Promise<string> => {
    const { output } = await withDeadline(
      reasoner.run("reformulate", input, AbortSignal.timeout(TIMEOUT_MS)),
      TIMEOUT_MS,
    );
    return output.query;
  };
  try {
    return acceptable(await attempt()) ?? query;
  } catch (error) {
    if (!(error instanceof ReasonerError) || error.fault !== "transient") return query;
  }
  return attempt().then(
    (answer) => acceptable(answer) ?? query,
    () => query,
  );
}

/** The first line of an answer without quotes, or null where it cannot be a query. */
export function acceptable(answer: string): string | null {
  const line = answer.split(/\r?\n/, 50).find((candidate) => candidate.trim() !== "");
  const query = line?.trim().replace(QUOTES, "").trim() ?? "";
  if (query.length > MAX_QUERY_CHARS || !/[\p{L}\p{N}]/u.test(query)) return null;
  return STRUCTURE.test(query) || REFUSAL.test(query) ? null : query;
}

/** The last turns, oldest cut first, at most 4,000 characters of them. */
function recent(history: readonly HistoryTurn[]): HistoryTurn[] {
  const kept: HistoryTurn[] = [];
  let room = MAX_HISTORY_CHARS;
  for (const { role, content } of history.slice(-MAX_TURNS).reverse()) {
    if (room <= 0) break;
    kept.unshift({ role, content: content.slice(0, room) });
    room -= content.length;
  }
  return kept;
}
