/** The formats that are asserted. Each check takes linear time. */
import { isDate, parseInstant } from "../text/instant";

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const LEAP_SECOND = /^(.{17})60(.*)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const URI_CHARACTER = /^[a-z0-9\-._~:/?#[\]@!$&'()*+,;=%]$/i;
const ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+$/i;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const ADDRESS = /^\[(?:\d{1,3}(?:\.\d{1,3}){3}|IPv6:[0-9a-f:.]{2,45})\]$/i;

const FORMATS = {
  "date-time": (text: string): boolean => parseInstant(text) !== null || isLeapSecond(text),
  date: (text: string): boolean => {
    const parts = DATE.exec(text);
    return parts !== null && isDate(Number(parts[1]), Number(parts[2]), Number(parts[3]));
  },
  email: isEmail,
  uri: isUri,
  uuid: (text: string): boolean => UUID.test(text),
} as const;

export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATS);

const isFormat = (name: string): name is keyof typeof FORMATS => Object.hasOwn(FORMATS, name);

/** Whether the text has the format; a format that is not asserted holds for every text. */
export const hasFormat = (name: string, text: string): boolean => !isFormat(name) || FORMATS[name](text);

/** RFC 3339 allows second 60 at the end of a UTC day. */
function isLeapSecond(text: string): boolean {
  const parts = LEAP_SECOND.exec(text);
  const before = parts ? parseInstant(`${parts[1]}59${parts[2]}`) : null;
  return before !== null && Math.floor(before / 1000) % 86_400 === 86_399;
}

/** RFC 5321: a dot-atom or a quoted text, `@`, a host name or an address in brackets. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > 320) return false;
  const [local, host] = [text.slice(0, at), text.slice(at + 1)];
  if (local.length > 64 || host.length > 253) return false;
  const named =
    local.startsWith('"') && local.endsWith('"') && local.length > 2
      ? /^"(?:[^"\\]|\\.)+"$/.test(local)
      : ATOM.test(local) && !local.startsWith(".") && !local.endsWith(".") && !local.includes("..");
  return named && (ADDRESS.test(host) || host.split(".").every((label) => LABEL.test(label)));
}

/** RFC 3986: a scheme, and nothing but its characters; `%` before two hexadecimal digits, brackets for addresses. */
function isUri(text: string): boolean {
  if (!SCHEME.test(text)) return false;
  for (let at = 0; at < text.length; at++) {
    if (!URI_CHARACTER.test(text[at] ?? "")) return false;
    if (text[at] === "%" && !/^[0-9a-f]{2}$/i.test(text.slice(at + 1, at + 3))) return false;
  }
  const rest = text.slice(text.indexOf(":") + 1);
  if (!/[[\]]/.test(rest)) return (rest.match(/#/g) ?? []).length < 2;
  return /^\/\/(?:[^/?#@[\]]*@)?\[[0-9a-fv:.]+\](?::\d*)?(?:[/?#][^[\]]*)?$/i.test(rest);
}
