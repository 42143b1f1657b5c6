/** Examples of calls, as data on a route: shown in the documentation, sent by its tests. Pure. */

/** A call that can be made as it stands, once earlier examples have yielded what it names as `{{name}}`. */
export interface RouteExample {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** A call that must have been made before, such as `put /api/webhook`. */
  after?: string;
  /** What later examples may name, by where it stands in the answer. */
  yields?: Readonly<Record<string, Yield>>;
}

interface Yield {
  /** JSON pointer into the answer. */
  pointer: string;
  /** What it looks like, for those who only read. */
  sample: string | number;
}

export type ExampleValues = ReadonlyMap<string, string | number>;

const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/** The names that an example needs, each once. */
export function placeholdersOf({ params, query, body }: RouteExample): string[] {
  const text = JSON.stringify([params ?? null, query ?? null, body ?? null]);
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? ""))];
}

const filledText = (text: string, values: ExampleValues): string =>
  text.replaceAll(PLACEHOLDER, (whole, name: string) => String(values.get(name) ?? whole));

/** The value with its placeholders filled; one that stands alone keeps the type of what fills it. */
export function filled(value: unknown, values: ExampleValues): unknown {
  if (typeof value === "string") {
    const alone = /^\{\{(\w+)\}\}$/.exec(value)?.[1];
    return (alone === undefined ? undefined : values.get(alone)) ?? filledText(value, values);
  }
  if (Array.isArray(value)) return value.map((entry) => filled(entry, values));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, filled(entry, values)]));
}

/** `/a/{id}` with its parameters and the query of an example. */
export function exampleAddress(path: string, { params, query }: RouteExample, values: ExampleValues): string {
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(filledText(params?.[name] ?? `{${name}}`, values)),
  );
  const pairs = Object.entries(query ?? {}).map(([name, value]) => [name, filledText(value, values)]);
  return pairs.length === 0 ? filledPath : `${filledPath}?${new URLSearchParams(pairs)}`;
}

/** What every placeholder of these examples looks like. */
export const samplesOf = (examples: readonly (RouteExample | undefined)[]): ExampleValues =>
  new Map(
    examples.flatMap((example) =>
      Object.entries(example?.yields ?? {}).map(([name, { sample }]) => [name, sample] as const),
    ),
  );

/** @returns what an answer yields; a pointer to nothing yields nothing */
export function yieldedBy({ yields }: RouteExample, answer: unknown): Map<string, string | number> {
  const values = new Map<string, string | number>();
  for (const [name, { pointer }] of Object.entries(yields ?? {})) {
    const found = pointer
      .split("/")
      .slice(1)
      .reduce<unknown>(
        (at, key) => (at !== null && typeof at === "object" ? Reflect.get(at, key) : undefined),
        answer,
      );
    if (typeof found === "string" || typeof found === "number") values.set(name, found);
  }
  return values;
}
