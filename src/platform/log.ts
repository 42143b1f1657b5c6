/** Structured logs: one JSON line per event; ids and counts only, never content. */

export type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** A log whose every line carries `base`, such as the request's id. */
export function createLog(base: LogFields, write: (line: string) => void = console.log): Log {
  const line =
    (level: string) =>
    (event: string, fields: LogFields = {}) =>
      write(JSON.stringify({ level, event, ...base, ...fields }));
  return { info: line("info"), warn: line("warn"), error: line("error") };
}
