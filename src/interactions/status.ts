/** What became of a request: its coverage over every extractor that runs today. */
import type { Database } from "../db/client";
import type { ExtractorKind } from "../orgs/config";
import { activeKinds } from "./admission";
import { type Coverage, coverageOf } from "./coverage";
import { NEXT_WINDOW_STATEMENTS, nextWindow } from "./next-window";
import { readRequestFacts } from "./stream-store";

/** D1 statements of one reading at most. */
export const MAX_STATUS_STATEMENTS = activeKinds.length * (2 + NEXT_WINDOW_STATEMENTS);

/** The status that says most: a failure, then work in progress, then work to come. */
const order: readonly Coverage["status"][] = ["failed", "processing", "pending", "done"];

/** Reads one request's status, once or again and again; what cannot have changed is not read twice. */
export class LearningWatch {
  /** D1 statements taken so far. */
  statements = 0;
  /** Where each cursor stood when a window was found to be queued behind it. */
  private readonly queuedAt = new Map<ExtractorKind, number>();

  constructor(
    private readonly db: Database,
    private readonly orgId: string,
    private readonly requestId: string,
  ) {}

  /** @returns null where the org has no such request */
  async read(nowMs: number): Promise<Coverage | null> {
    const all: Coverage[] = [];
    for (const kind of activeKinds) {
      const coverage = await this.readKind(kind, nowMs);
      if (coverage === null) return null;
      all.push(coverage);
    }
    return all.sort((left, right) => order.indexOf(left.status) - order.indexOf(right.status))[0] ?? null;
  }

  private async readKind(kind: ExtractorKind, nowMs: number): Promise<Coverage | null> {
    this.statements += 2;
    const facts = await readRequestFacts(this.db, this.orgId, this.requestId, kind);
    if (facts === null) return null;
    const coverage = coverageOf({ ...facts, nowMs });
    if (coverage !== "undecided") return coverage;
    const completedSeq = facts.cursor?.completedSeq ?? 0;
    if (this.queuedAt.get(kind) !== completedSeq) {
      this.statements += NEXT_WINDOW_STATEMENTS;
      const next = await nextWindow(this.db, this.orgId, facts.userId, kind);
      if ("waiting" in next) return { status: "pending", reason: "waiting_for_window" };
      this.queuedAt.set(kind, completedSeq);
    }
    return { status: "pending", reason: "queued" };
  }
}

/** One reading of a request's status; null where the org has no such request. */
export const learningStatusOf = (
  db: Database,
  orgId: string,
  requestId: string,
  nowMs: number,
): Promise<Coverage | null> => new LearningWatch(db, orgId, requestId).read(nowMs);
