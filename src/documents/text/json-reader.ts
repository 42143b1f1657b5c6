/** The reader behind `readJson`: one pass over the text, open objects and lists on a stack of its own. */
import type { Json, JsonObject } from "../model";
import { LIMITS } from "../spec";
import type { Place } from "./json-places";
import {
  readLiteral,
  readNumber,
  readString,
  shown,
  skipSpace,
  type Token,
  type TokenFault,
} from "./json-tokens";
import { pointerOf } from "./pointer";

export interface RawFault {
  kind: "encoding" | "too_deep" | TokenFault["kind"];
  offset: number;
  pointer: string;
  message: string;
  hint?: string;
}
export interface RawKey {
  offset: number;
  pointer: string;
}

/** Past this the reading ends: far beyond what documents may be, far before any stack ends. */
const MAX_DEPTH = 512;
/** Of each list that a reading returns, since a hostile text has a fault in every word. */
const MAX_REPORTED = 100;
const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** An object or list that is open, and the token and name of what is being read in it. */
type Frame = { keyOffset: number | null } & (
  | { kind: "list"; token: number; value: Json[]; inside: Place[] }
  /** No token while a name is being read. */
  | { kind: "object"; token: string | null; value: JsonObject; inside: Map<string, Place> }
);
type Step = "opened" | "complete" | "failed";

export class JsonReader {
  readonly faults: RawFault[] = [];
  readonly duplicates: RawKey[] = [];
  readonly prototypeKeys: RawKey[] = [];
  depth = 0;
  tooDeepAt: string | null = null;
  rootValue: Json | undefined;
  rootPlace: Place | null = null;
  private readonly frames: Frame[] = [];
  private offset = 0;

  constructor(private readonly text: string) {}

  /** @returns whether the text was read to its end */
  read(): boolean {
    if (this.text.startsWith("\ufeff")) {
      return this.refuse(0, "The text begins with a byte order mark.", "no mark before the first bracket");
    }
    for (;;) {
      const step = this.readValue();
      if (step === "failed") return false;
      if (step === "complete" && !this.closeAndSeparate()) return false;
      if (this.frames.length === 0) return true;
    }
  }

  report(fault: Omit<RawFault, "pointer">): void {
    if (this.faults.length < MAX_REPORTED) this.faults.push({ ...fault, pointer: this.pointer() });
    // What ends a reading is its last fault, and is never left out.
    else if (ENDS_READING.has(fault.kind))
      this.faults[MAX_REPORTED - 1] = { ...fault, pointer: this.pointer() };
  }

  private refuse(offset: number, message: string, hint: string): false {
    this.report({ kind: "syntax", offset, message, hint });
    return false;
  }

  /** Of the value being read. */
  private pointer(): string {
    return pointerOf(this.frames.map(({ token }) => token).filter((token) => token !== null));
  }

  private readValue(): Step {
    this.offset = skipSpace(this.text, this.offset);
    const offset = this.offset;
    const character = this.text[offset];
    if (character === "{" || character === "[") return this.open(character);
    const token = this.readScalar(character);
    this.offset = token.end;
    if (token.fault) this.report(token.fault);
    if (token.fault?.kind === "syntax") return "failed";
    this.put(token.value, offset, null);
    return "complete";
  }

  private readScalar(character: string | undefined): Token<Json> {
    if (character === '"') return readString(this.text, this.offset);
    if (character !== undefined && /[-0-9]/.test(character)) return readNumber(this.text, this.offset);
    return readLiteral(this.text, this.offset);
  }

  private open(bracket: "{" | "["): Step {
    const depth = this.frames.length + 1;
    if (depth > LIMITS.depth) this.tooDeepAt ??= this.pointer();
    if (depth > MAX_DEPTH) {
      const message = `Objects and lists lie more than ${MAX_DEPTH} deep in each other.`;
      this.report({ kind: "too_deep", offset: this.offset, message, hint: `at most ${LIMITS.depth}` });
      return "failed";
    }
    this.depth = Math.max(this.depth, depth);
    const frame: Frame =
      bracket === "["
        ? { kind: "list", token: 0, keyOffset: null, value: [], inside: [] }
        : { kind: "object", token: null, keyOffset: null, value: {}, inside: new Map() };
    this.put(frame.value, this.offset, frame.inside);
    this.offset = skipSpace(this.text, this.offset + 1);
    if (this.text[this.offset] === closing(frame)) {
      this.offset++;
      return "complete";
    }
    this.frames.push(frame);
    return frame.kind === "list" || this.readKey(frame) ? "opened" : "failed";
  }

  /** Reads closing brackets up to the comma before the next value. @returns false after a fault */
  private closeAndSeparate(): boolean {
    for (;;) {
      this.offset = skipSpace(this.text, this.offset);
      const character = this.text[this.offset];
      const frame = this.frames.at(-1);
      if (!frame) {
        if (character === undefined) return true;
        const message = `${shown(this.text, this.offset)} follows the end of the value.`;
        return this.refuse(this.offset, message, "one value and nothing after it");
      }
      if (character !== "," && character !== closing(frame)) {
        const message = `Expected a comma or "${closing(frame)}", found ${shown(this.text, this.offset)}.`;
        return this.refuse(this.offset, message, separatorHint(character, frame));
      }
      this.offset++;
      if (character === ",") {
        if (frame.kind === "object") return this.readKey(frame);
        frame.token++;
        return true;
      }
      this.frames.pop();
    }
  }

  private readKey(frame: Frame & { kind: "object" }): boolean {
    this.offset = skipSpace(this.text, this.offset);
    const offset = this.offset;
    frame.token = null;
    if (this.text[offset] !== '"') {
      const message = `Expected the name of a member in double quotes, found ${shown(this.text, offset)}.`;
      return this.refuse(
        offset,
        message,
        this.text[offset] === "}" ? "no comma before }" : 'a name such as "id"',
      );
    }
    const name = readString(this.text, offset);
    if (name.fault) this.report(name.fault);
    if (name.fault?.kind === "syntax") return false;
    frame.token = name.value;
    frame.keyOffset = offset;
    this.noteKey(name.value, frame.inside.has(name.value), offset);
    this.offset = skipSpace(this.text, name.end);
    if (this.text[this.offset] !== ":") {
      const message = `Expected a colon after the name, found ${shown(this.text, this.offset)}.`;
      return this.refuse(this.offset, message, '"name": value');
    }
    this.offset++;
    return true;
  }

  private noteKey(name: string, again: boolean, offset: number): void {
    if (again && this.duplicates.length < MAX_REPORTED) {
      this.duplicates.push({ offset, pointer: this.pointer() });
    }
    if (PROTOTYPE_NAMES.has(name) && this.prototypeKeys.length < MAX_REPORTED) {
      this.prototypeKeys.push({ offset, pointer: this.pointer() });
    }
  }

  /** Puts a value where it belongs; of a name given twice, the last value counts, as for `JSON.parse`. */
  private put(value: Json, offset: number, inside: Place["inside"]): void {
    const frame = this.frames.at(-1);
    const place: Place = { offset, keyOffset: frame?.keyOffset ?? null, inside };
    if (!frame) {
      this.rootValue = value;
      this.rootPlace = place;
    } else if (frame.kind === "list") {
      frame.value.push(value);
      frame.inside.push(place);
    } else if (frame.token !== null) {
      frame.inside.set(frame.token, place);
      // Assigning to `__proto__` would change the prototype.
      if (frame.token === "__proto__") Object.defineProperty(frame.value, frame.token, { ...OWN, value });
      else frame.value[frame.token] = value;
    }
  }
}

const OWN = { configurable: true, enumerable: true, writable: true } as const;
const ENDS_READING: ReadonlySet<RawFault["kind"]> = new Set(["encoding", "syntax", "too_deep"]);

const closing = (frame: Frame): "]" | "}" => (frame.kind === "list" ? "]" : "}");

function separatorHint(character: string | undefined, frame: Frame): string {
  if (character === undefined) return `the text is cut off: ${closing(frame)} is missing`;
  if (character === ":" && frame.kind === "list") return "members with names stand in {…}";
  if (character === "/") return "no comments: JSON has none";
  return character === "]" || character === "}" ? `${closing(frame)} first` : "a comma between two values";
}
