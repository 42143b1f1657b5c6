/** What one turn looks at: takes in new rules, pages residual ones, loads them with their vectors. */
import type { Database } from "../db/client";
import { type Lease, leaseGuard } from "../db/leases";
import { MAX_AVERAGE_LINKAGE_ROWS } from "./clustering/average-linkage";
import { idsToStage, raisedFloor } from "./intake";
import type { Member } from "./model";
import { loadMembers } from "./read-store";
import { pageResiduals } from "./residuals";
import {
  countAttempt,
  forgetItems,
  keepResidual,
  loadOpenRows,
  loadResiduals,
  stageRows,
  type VersionState,
} from "./store";

export interface SelectionScope {
  db: Database;
  lease: Lease;
  orgId: string;
  agentVersion: string;
  space: { model: string; dimension: number };
  nowMs: number;
  /** True where a person asked: cool-downs do not count. */
  isForced: boolean;
}

export interface Selection {
  /** With a vector; joint vectors come later. */
  members: Omit<Member, "joint">[];
  staged: number;
  /** Rows taken up, those without a vector included. */
  processed: number;
  floor: number;
}

/** Open rows above which a forced run is refused before anything changes (specification 8.9). */
export class CapExceeded extends Error {
  override readonly name = "CapExceeded";
  constructor(readonly rows: number) {
    super(`${rows} rows exceed the safety cap (${rows} > ${MAX_AVERAGE_LINKAGE_ROWS})`);
  }
}

/**
 * Stages the newest rows, selects residual ones and counts the attempt before any model is asked.
 * @throws CapExceeded in a forced run over too many rows; nothing has changed then
 */
export async function selectMembers(scope: SelectionScope, state: VersionState): Promise<Selection> {
  const { db, lease, orgId, agentVersion } = scope;
  const rows = await loadOpenRows(db, orgId, agentVersion, state.intakeFloor);
  if (scope.isForced && rows.open.length > MAX_AVERAGE_LINKAGE_ROWS) throw new CapExceeded(rows.open.length);
  const floor = raisedFloor(state.intakeFloor, rows.open);
  const staged = idsToStage(rows.undisposed, floor, MAX_AVERAGE_LINKAGE_ROWS);
  if (staged.length > 0 || floor > state.intakeFloor) {
    await db.batch([leaseGuard(lease), ...stageRows(orgId, agentVersion, floor, staged)]);
  }
  const residuals = await loadResiduals(db, orgId, agentVersion, MAX_AVERAGE_LINKAGE_ROWS);
  const dueMs = scope.isForced ? Number.POSITIVE_INFINITY : scope.nowMs;
  const selected = pageResiduals(residuals, dueMs, MAX_AVERAGE_LINKAGE_ROWS).map(
    (item) => item.userPlaybookId,
  );
  if (selected.length === 0) return { members: [], staged: staged.length, processed: 0, floor };
  await db.batch([leaseGuard(lease), countAttempt(orgId, agentVersion, selected, scope.nowMs)]);
  const loaded = await loadMembers(db, orgId, agentVersion, selected, scope.space);
  const present = new Set(loaded.map(({ row }) => row.userPlaybookId));
  const gone = selected.filter((id) => !present.has(id));
  const unready = loaded.filter(({ vector }) => vector === null).map(({ row }) => row.userPlaybookId);
  if (gone.length > 0 || unready.length > 0) {
    await db.batch([
      leaseGuard(lease),
      forgetItems(orgId, agentVersion, gone),
      keepResidual(orgId, agentVersion, unready, "embedding_pending"),
    ]);
  }
  const members = loaded.flatMap(({ row, vector }): Omit<Member, "joint">[] =>
    vector === null ? [] : [{ row, vector }],
  );
  return { members, staged: staged.length, processed: loaded.length, floor };
}
