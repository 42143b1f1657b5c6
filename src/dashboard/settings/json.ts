/** Reading, changing and comparing JSON documents by place. Pure. */

export type Path = readonly string[];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** The value at a path; undefined where there is none. */
export const at = (document: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    document,
  );

/** The document with another value at a path, through objects. */
export function withAt(document: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  const record = isRecord(document) ? document : {};
  return { ...record, [key]: withAt(at(record, [key]), rest, value) };
}

export interface Difference {
  pointer: string;
  /** Undefined where it was not there. */
  before: unknown;
  after: unknown;
}

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** What differs between two documents, objects key by key, anything else whole. */
export function differences(before: unknown, after: unknown, pointer = ""): Difference[] {
  if (isRecord(before) && isRecord(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
      differences(at(before, [key]), at(after, [key]), `${pointer}/${escaped(key)}`),
    );
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ pointer, before, after }];
}
