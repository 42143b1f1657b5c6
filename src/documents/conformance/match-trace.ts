/** A trace against what a vector expects of it: in order, exactly, or never (ruling 3). */
import { type Bindings, hasPlaceholder, matchText } from "./placeholders";

/** An entry without `:` also means its type with any subject; `*` is any run of characters. */
export function matchEntry(entry: string, event: string, bindings: Bindings): Bindings | null {
  const whole = matchText(entry, event, bindings, true);
  return whole || entry.includes(":") ? whole : matchText(entry, typeOf(event), bindings, true);
}

const typeOf = (event: string): string => event.split(":", 1)[0] ?? event;

export type TraceMatch = { ok: true; bindings: Bindings } | { ok: false; message: string };

const CONTEXT = 6;
const around = (events: readonly string[], index: number): string => {
  const from = Math.max(0, index - CONTEXT);
  const lines = events.slice(from, index + CONTEXT).map((event, offset) => {
    const at = from + offset;
    return `${at === index ? "    > " : "      "}${at + 1} ${event}`;
  });
  if (index >= events.length) lines.push("    > (end)");
  return lines.join("\n");
};

/** Every entry for one event, in order and with nothing between. */
export function matchExactly(
  entries: readonly string[],
  events: readonly string[],
  bindings: Bindings,
): TraceMatch {
  let learnt = bindings;
  for (let index = 0; index < Math.max(entries.length, events.length); index++) {
    const [entry, event] = [entries[index], events[index]];
    const next = entry !== undefined && event !== undefined ? matchEntry(entry, event, learnt) : null;
    if (!next) {
      const message = `expected ${entry ?? "the end"} as event ${index + 1}, seen ${event ?? "the end"}\n${around(events, index)}`;
      return { ok: false, message };
    }
    learnt = next;
  }
  return { ok: true, bindings: learnt };
}

/** Every entry in order, whatever lies between. */
export function matchInOrder(
  entries: readonly string[],
  events: readonly string[],
  bindings: Bindings,
): TraceMatch {
  const search = new Search(entries, events);
  const found = search.from(0, 0, bindings);
  if (found) return { ok: true, bindings: found };
  const { entry, event } = search.furthest;
  const after = entry === 0 ? "" : ` after ${entries[entry - 1]} (event ${event})`;
  return { ok: false, message: `expected ${entries[entry]}${after}, not seen\n${around(events, event)}` };
}

/** The first fit is the right one unless a placeholder could have stood for something else. */
class Search {
  /** The first entry that was never found, and how far the events before it reached. */
  furthest = { entry: 0, event: 0 };
  /** Against an exponential number of ways. */
  private tries = 0;

  constructor(
    private readonly entries: readonly string[],
    private readonly events: readonly string[],
  ) {}

  from(entryIndex: number, eventIndex: number, bindings: Bindings): Bindings | null {
    const entry = this.entries[entryIndex];
    if (entry === undefined) return bindings;
    if (entryIndex > this.furthest.entry) this.furthest = { entry: entryIndex, event: eventIndex };
    for (let at = eventIndex; at < this.events.length; at++) {
      const learnt = matchEntry(entry, this.events[at] ?? "", bindings);
      if (!learnt) continue;
      const rest = this.from(entryIndex + 1, at + 1, learnt);
      this.tries += 1;
      if (rest || !hasPlaceholder(entry) || this.tries > 100_000) return rest;
    }
    return null;
  }
}

/** The first event that must not be there; null when there is none. */
export function findForbidden(
  entries: readonly string[],
  events: readonly string[],
  bindings: Bindings,
): string | null {
  for (const entry of entries) {
    const index = events.findIndex((event) => matchEntry(entry, event, bindings) !== null);
    if (index >= 0) return `${entry} must never be seen, but is event ${index + 1}\n${around(events, index)}`;
  }
  return null;
}

/** Where two traces part, as text; null when they are equal. */
export function firstDivergence(expected: readonly string[], seen: readonly string[]): string | null {
  const length = Math.max(expected.length, seen.length);
  for (let index = 0; index < length; index++) {
    if (expected[index] === seen[index]) continue;
    const lines = [
      `event ${index + 1}: expected ${expected[index] ?? "(end)"}`,
      `seen ${seen[index] ?? "(end)"}`,
    ];
    return `${lines.join(", ")}\n${around(seen, index)}`;
  }
  return null;
}
