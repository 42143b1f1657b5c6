/** Request bodies: counted while they are read, parsed once, cleaned before anything sees them. */
import { Failure, invalid } from "../platform/failure";
import { cleanText } from "../platform/text";
import { pointerOf } from "./validation";

export const DEFAULT_MAX_BODY_BYTES = 1_048_576;
export const PUBLISH_MAX_BODY_BYTES = 8_388_608;

/** JSON nested deeper than this is refused before it can exhaust the stack. */
const MAX_DEPTH = 64;

const tooLarge = (maxBytes: number): Failure =>
  new Failure("too_large", `The body is larger than ${maxBytes} bytes.`, [
    { pointer: "", message: "body too large", expected: `at most ${maxBytes} bytes`, type: "too_large" },
  ]);

/**
 * The body as it came. Its true length counts; a declared one only ends the matter sooner.
 * @throws Failure("too_large")
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? "");
  if (Number.isFinite(declared) && declared > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > maxBytes) {
      await reader.cancel();
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** Bytes as text: a byte order mark is dropped, and what is not UTF-8 becomes U+FFFD. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8").decode(bytes);

/**
 * The body as text.
 * @throws Failure("too_large")
 */
export const readBody = async (request: Request, maxBytes: number): Promise<string> =>
  textOf(await readBytes(request, maxBytes));

/** Makes every string and key well-formed and NUL-free. `path` is where `value` stands. */
function clean(value: unknown, path: string[]): unknown {
  if (typeof value === "string") return cleanText(value);
  if (value === null || typeof value !== "object") return value;
  if (path.length >= MAX_DEPTH) {
    const pointer = pointerOf(path);
    throw invalid(pointer, "The JSON is nested too deeply.", `at most ${MAX_DEPTH} levels`, "too_deep");
  }
  const inside = (key: string, entry: unknown): unknown => {
    path.push(key);
    const cleaned = clean(entry, path);
    path.pop();
    return cleaned;
  };
  if (Array.isArray(value)) return value.map((entry, position) => inside(String(position), entry));
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [cleanText(key), inside(key, entry)]),
  );
}

/** @throws Failure("invalid") when the text is not JSON */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("", "The body is not JSON.", "a JSON object", "json_invalid");
  }
  return clean(value, []);
}

/** The fields of a form, each a string; a repeated field keeps its last value. */
export const parseForm = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => [cleanText(name), cleanText(value)]),
  );
