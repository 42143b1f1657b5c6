/**
 * Keeps personal details away from the aggregation model, whose rules go to other people: the same detail
 * becomes the same placeholder within one cluster, and placeholders in an answer become plain words.
 */

import { commonVerbs } from "../platform/reasoner/offline/lexicon";
import { isEmptyWord } from "../platform/rules/terms";
import { normalised } from "../platform/text";
import {
  type DetailKind,
  isPersonalLink,
  NO_PERSON,
  NOT_NAMES,
  PATTERNS,
  PLAIN_WORDS,
} from "./detail-patterns";

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A pattern of whole words, longest first, or null for none. */
function anyOf(words: readonly string[], flags: string): RegExp | null {
  const longestFirst = [...words].sort(
    (left, right) => right.length - left.length || (left < right ? -1 : 1),
  );
  if (longestFirst.length === 0) return null;
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${longestFirst.join("|")})(?![\\p{L}\\p{N}_])`, flags);
}

/** One cluster's mapping. Make a new one for every cluster: identities do not carry over. */
export class DetailStripper {
  private readonly placeholders = new Map<string, string>();
  private readonly counts = new Map<DetailKind, number>();
  private readonly owners: RegExp | null;
  private readonly forced: RegExp | null;

  /**
   * @param userIds the cluster's users; their ids, and names within them, are details too
   * @param forcelist words that are always hidden, in any case
   */
  constructor(userIds: readonly string[], forcelist: readonly string[] = []) {
    const names = new Set<string>();
    for (const userId of userIds) {
      if (/[\d@._-]/.test(userId) && userId.length >= 4) names.add(escaped(userId));
      for (const part of userId.split(/[^\p{L}]+/u)) {
        if (
          part.length < 3 ||
          NO_PERSON.test(part) ||
          commonVerbs.has(part.toLowerCase()) ||
          isEmptyWord(part.toLowerCase())
        )
          continue;
        names.add(escaped(`${part.charAt(0).toUpperCase()}${part.slice(1).toLowerCase()}`));
      }
    }
    this.owners = anyOf([...names], "gu");
    this.forced = anyOf(
      forcelist.filter((word) => word.trim() !== "").map((word) => escaped(word.trim())),
      "giu",
    );
  }

  private placeholder(kind: DetailKind, detail: string): string {
    const isNumber = kind === "PHONE" || kind === "CARD";
    const key = `${kind} ${normalised(detail, "NFKC")
      .toLowerCase()
      .replace(isNumber ? /\D/g : /\s+/g, "")}`;
    const known = this.placeholders.get(key);
    if (known !== undefined) return known;
    const number = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, number);
    const made = `[${kind}_${number}]`;
    this.placeholders.set(key, made);
    return made;
  }

  /** The text with every recognised detail replaced. */
  strip(text: string): string {
    let clean =
      this.forced === null ? text : text.replace(this.forced, (word) => this.placeholder("DETAIL", word));
    for (const [kind, pattern] of PATTERNS) {
      clean = clean.replace(pattern, (whole: string, group: unknown) => {
        const detail = typeof group === "string" ? group : whole;
        if (kind === "LINK" && !isPersonalLink(whole)) return whole;
        if (kind === "PERSON" && NOT_NAMES.has(detail)) return whole;
        return whole.replace(detail, () => this.placeholder(kind, detail));
      });
    }
    return this.owners === null
      ? clean
      : clean.replace(this.owners, (name) => this.placeholder("PERSON", name));
  }

  /** How many different details were hidden. */
  get size(): number {
    return this.placeholders.size;
  }
}

const PLACEHOLDER =
  /(?:\b(?:[Tt]he|[Aa]n?|[Uu]ser|[Cc]ustomer) )?[[(<{]{1,2}(?<kind>PERSON|EMAIL|PHONE|LINK|REFERENCE|SECRET|CARD|DETAIL)[_ -]?\d{1,4}[\])>}]{1,2}/gi;

/** The first letter of a plain word that now opens a sentence or a list item. */
const SENTENCE_OPENING = /(?:^|[.!?]\s+|\n)\s*(?:[-*]\s+)?(?=(?:the user|an? )\b)[at]/g;

/** Placeholders in an answer become plain words: before it is stored, and before it is logged. */
export function neutralisePlaceholders(text: string): { text: string; leaked: number } {
  let leaked = 0;
  const plain = text.replace(PLACEHOLDER, (...found: unknown[]) => {
    leaked += 1;
    const groups = found.at(-1);
    const kind =
      typeof groups === "object" && groups !== null && "kind" in groups
        ? String(groups.kind).toUpperCase()
        : "PERSON";
    for (const [name, words] of Object.entries(PLAIN_WORDS)) if (name === kind) return words;
    return PLAIN_WORDS.PERSON;
  });
  return {
    text:
      leaked === 0
        ? text
        : plain.replace(
            SENTENCE_OPENING,
            (opening) => opening.slice(0, -1) + opening.slice(-1).toUpperCase(),
          ),
    leaked,
  };
}
