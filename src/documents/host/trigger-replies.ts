/** What a `trigger` step expects of its replies: one for each of its `times`. */
import type { TriggerReply } from "../triggers/model";
import type { Delivery } from "./script";

/**
 * Every expectation that does not hold, in words. With several deliveries `runs` and `ignored` may be meant of each
 * reply or of all together, counting what was started once; the format does not say which.
 */
export function deliveryFaults({ kind, expect }: Delivery, replies: readonly TriggerReply[]): string[] {
  if (!expect) return [];
  const faults: string[] = [];
  const isMet = ({ status, code }: TriggerReply): boolean =>
    (expect.status === undefined || isStatus(kind, expect.status, status)) &&
    (expect.code === undefined || expect.code === code);
  // A finding that repeats another is answered in its own way.
  const news = replies.filter(({ code }) => code !== "deduped");
  const wrong = (news.length > 0 ? news : replies).find((reply) => !isMet(reply));
  if (wrong) faults.push(`expected ${shown(expect)}, got ${shown(wrong)}.`);

  const { runs, ignored } = expect;
  const started = new Set(replies.flatMap((reply) => reply.runs)).size;
  if (runs !== undefined && started !== runs && !replies.every((reply) => reply.runs.length === runs)) {
    faults.push(`expected ${runs} runs, got ${started}.`);
  }
  if (ignored) {
    const wanted = ignored.join(", ");
    const all = whysOf(replies);
    if (wanted !== all && !replies.every((reply) => whysOf([reply]) === wanted)) {
      faults.push(`expected ignored [${wanted}], got [${all}].`);
    }
  }
  return faults;
}

const whysOf = (replies: readonly TriggerReply[]): string =>
  replies
    .flatMap(({ ignored }) => ignored.map(({ why }) => why))
    .sort()
    .join(", ");

export const shown = (reply: { status?: number; code?: string } | undefined): string =>
  reply ? [reply.status, reply.code].filter((part) => part !== undefined).join(" ") : "no answer";

export const isSameClass = (expected: number, status: number): boolean =>
  Math.floor(expected / 100) === Math.floor(status / 100);

/** The format fixes success for webhooks (202) alone; elsewhere any success is as good as another. */
const isStatus = (kind: Delivery["kind"], expected: number, status: number): boolean =>
  expected === status ||
  (kind !== "webhook" && (status === 201 || status === 202) && isSameClass(expected, status));
