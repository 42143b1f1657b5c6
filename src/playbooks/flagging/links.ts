/** Addresses that a rule would lead somebody to: URLs, bare domains with a path, disguised dots. */

const URL_LIKE =
  /\b(?:https?|ftp|ws|wss):\/\/([^\s/"'<>)\]]{1,255})|\b(?:javascript|vbscript|data:text|file):|\bwww\.[\w-]{1,63}\./giu;
const HARMLESS_HOST =
  /^(?:(?:[\w-]+\.)*(?:localhost|example|test|invalid|example\.(?:com|org|net))|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::\d+)?$/i;
const TOP =
  "(?:com|net|org|info|biz|io|co|app|dev|xyz|top|site|online|shop|ru|cn|tk|ml|ga|cf|pw|cc|me|link|click|ly|gg|to)";
const BARE_WITH_PATH = new RegExp(`(?<![\\w@./-])(?:[\\w-]{1,63}\\.){1,4}${TOP}/[\\w%?#~-]`, "iu");
const VISIT = new RegExp(
  `\\b(?:visit|go to|log ?in (?:at|to)|sign in (?:at|to)|open|browse to|click|download(?: it| this)? from|redirect\\w* to|point\\w* to|send\\w* to|pay at|order (?:from|at))\\s+(?:[\\w-]{1,63}\\.){1,4}${TOP}\\b`,
  "iu",
);
const DISGUISED = new RegExp(
  `\\b[\\w-]{2,63}\\s?(?:\\[\\.\\]|\\(\\.\\)|\\[dot\\]|\\(dot\\)|\\sdot\\s)\\s?${TOP}\\b`,
  "iu",
);
const MARKDOWN = /!?\[[^\]\n]{0,200}\]\(\s*(?:[a-z][a-z0-9+.-]{1,20}:|\/\/)/iu;
const SCHEME_MARKDOWN_HARMLESS =
  /\]\(\s*https?:\/\/(?:localhost|127\.0\.0\.1|(?:[\w-]+\.)?example\.(?:com|org|net))/iu;

export const holdsLink = (text: string): boolean =>
  [...text.matchAll(URL_LIKE)].some(([, host]) => host === undefined || !HARMLESS_HOST.test(host)) ||
  BARE_WITH_PATH.test(text) ||
  VISIT.test(text) ||
  DISGUISED.test(text) ||
  (MARKDOWN.test(text) && !SCHEME_MARKDOWN_HARMLESS.test(text));
