/** Counters in words. Pure. */
import { faultInWords } from "../fault-words";

/** The part before the colon: what happened. */
const happenings: Readonly<Record<string, string>> = {
  dropped: "Proposed rule dropped by a check",
  rejected: "Proposed rule rejected by the reviewer",
  learned: "Rule learned",
  retired: "Stored rule replaced by a newer one",
  dead: "Work given up",
};

/** `dropped:missing_evidence` as what happened and why. */
export function counterInWords(name: string): { happening: string; reason: string } {
  const [head = "", ...rest] = name.split(":");
  const reason = rest.join(":");
  const happening = Object.hasOwn(happenings, head) ? (happenings[head] ?? head) : head;
  return { happening, reason: head === "dead" ? faultInWords(reason) : reason.replaceAll("_", " ") };
}
