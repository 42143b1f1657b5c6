/** Text as a reader, or a model, would take it: without disguise. For the patterns only, never stored. */
import { normalised } from "../../platform/text";

/** Characters without a glyph: they part words that a reader sees whole. */
export const INVISIBLE =
  /\u034f|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Letters of other scripts that look like Latin ones. */
const LATIN_OF: Readonly<Record<string, string>> = Object.fromEntries([
  ["а", "a"],
  ["е", "e"],
  ["о", "o"],
  ["р", "p"],
  ["с", "c"],
  ["у", "y"],
  ["х", "x"],
  ["і", "i"],
  ["ј", "j"],
  ["ѕ", "s"],
  ["ԁ", "d"],
  ["һ", "h"],
  ["ӏ", "l"],
  ["ԛ", "q"],
  ["ѡ", "w"],
  ["к", "k"],
  ["м", "m"],
  ["т", "t"],
  ["н", "h"],
  ["в", "b"],
  ["г", "r"],
  ["п", "n"],
  ["ο", "o"],
  ["α", "a"],
  ["ε", "e"],
  ["ι", "i"],
  ["κ", "k"],
  ["ν", "v"],
  ["ρ", "p"],
  ["τ", "t"],
  ["υ", "u"],
  ["χ", "x"],
  ["η", "n"],
  ["β", "b"],
  ["γ", "y"],
  ["ω", "w"],
  ["օ", "o"],
  ["ո", "n"],
  ["ս", "u"],
  ["ց", "g"],
  ["հ", "h"],
  ["ı", "i"],
  ["ł", "l"],
  ["ø", "o"],
  ["đ", "d"],
  ["ɡ", "g"],
  ["ɑ", "a"],
  ["ⅼ", "l"],
  ["ᴀ", "a"],
  ["ᴇ", "e"],
  ["ɪ", "i"],
  ["ɴ", "n"],
  ["ᴏ", "o"],
  ["ʀ", "r"],
  ["ꜱ", "s"],
  ["ᴛ", "t"],
  ["ᴜ", "u"],
  ["ɢ", "g"],
  ["ʟ", "l"],
  ["ᴍ", "m"],
  ["ᴘ", "p"],
  ["ʏ", "y"],
  ["ᴅ", "d"],
  ["ᴄ", "c"],
  ["ʙ", "b"],
  ["ʜ", "h"],
  ["ᴋ", "k"],
  ["ᴠ", "v"],
  ["ᴡ", "w"],
]);
const CONFUSABLE = new RegExp(`[${Object.keys(LATIN_OF).join("")}]`, "gu");

/** Letters of other scripts that pass for Latin ones. */
export const isConfusable = (letter: string): boolean => LATIN_OF[letter.toLowerCase()] !== undefined;

/** Lower case, no marks, no invisible characters, look-alikes as Latin letters, every space a single one. */
export const undisguised = (text: string): string =>
  normalised(text.replace(INVISIBLE, ""), "NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .replace(CONFUSABLE, (letter) => LATIN_OF[letter] ?? letter)
    .replace(/[\u2018\u2019\u02bc`]/g, "'")
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\s+/gu, " ");

const LEET: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/** Words that mix letters and digits, read as letters: `1gn0re` as `ignore`. Null where there are none. */
export function unleeted(folded: string): string | null {
  if (!/[a-z][013457@$!]|[01345@$!][a-z]/.test(folded)) return null;
  return folded.replace(/[a-z0-9@$!]+/g, (word) =>
    /[a-z]/.test(word) ? word.replace(/[01345!@$7]/g, (sign) => LEET[sign] ?? sign) : word,
  );
}

/** `i g n o r e   a l l` and `i.g.n.o.r.e` without the gaps. Null where no word is spaced out. */
export function unspaced(folded: string): string | null {
  const runs = folded.match(/(?<![a-z])[a-z](?:[ ._*-]{1,2}[a-z]){5,}(?![a-z])/g);
  return runs === null ? null : runs.map((run) => run.replace(/[^a-z]/g, "")).join(" ");
}

/** Base64 runs that hide plain text, decoded; at most 20. */
export function decoded(text: string): string[] {
  return (text.match(/(?<![\w+/=-])[A-Za-z0-9+/]{24,4000}={0,2}(?![\w+/])/g) ?? [])
    .slice(0, 20)
    .flatMap((run) => {
      if (run.replaceAll("=", "").length % 4 === 1) return [];
      const plain = atob(run.replaceAll("=", ""));
      return /^[\x20-\x7e\s]+$/.test(plain) ? [plain] : [];
    });
}

/** `ig.no.re` and `pre_vious` without their points. Null where words are not cut up like that. */
export function unpointed(folded: string): string | null {
  const cuts = folded.match(/[a-z][._*|~]{1,3}(?=[a-z])/g) ?? [];
  return cuts.length < 2 ? null : folded.replace(/(?<=[a-z])[._*|~]{1,3}(?=[a-z])/g, "");
}

/** The text undisguised, and once more with digits read as letters and cut-up words closed, where there are any. */
export function readingsOf(text: string): string[] {
  const folded = undisguised(text);
  // A one stands for an i or an l.
  const tall = /[a-z]1|1[a-z]/.test(folded) ? unleeted(folded.replace(/(?<=[a-z])1|1(?=[a-z])/g, "l")) : null;
  return [folded, unleeted(folded), tall, unpointed(folded)].filter((reading) => reading !== null);
}
