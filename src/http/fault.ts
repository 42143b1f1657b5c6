/** What a log may say of an error nobody expected: its kind and place, never what it quotes. */
import type { LogFields } from "../platform/log";

const MAX_MESSAGE = 300;
const MAX_FRAMES = 3;

/** Messages quote their input (`Unexpected token 'h', "hello w"…`): they end where a quotation begins. */
const untilQuote = (message: string): string =>
  (message.split(/["“`]/, 1)[0] ?? "").trimEnd().slice(0, MAX_MESSAGE);

/** Log fields of an unexpected error. */
export function describeFault(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MAX_FRAMES);
  return {
    error: error.name,
    message: untilQuote(error.message),
    at: frames.map((line) => line.trim()).join(" | "),
  };
}
