/** What one turn looks at: takes in new rules, pages residual ones, loads them with their vectors. */
import type { Database } from "../db/client";
import { type Lease, leaseGuard } from "../db/leases";
import { INTAKE_WINDOW_ROWS, idsToStage, raisedFloor } from "./intake";
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
}

export interface Selection {
  /** With a vector; joint vectors come later. */
  members: Omit<Member, "joint">[];
  staged: number;
  /** Rows taken up, those without a vector included. */
  processed: number;
  floor: number;
}

/** Stages the newest rows, selects residual ones and counts the attempt before any model is asked. */
export async function selectMembers(scope: SelectionScope, state: VersionState): Promise<Selection> {
  const { db, lease, orgId, agentVersion } = scope;
  const rows = await loadOpenRows(db, orgId, agentVersion, state.intakeFloor);
  const floor = raisedFloor(state.intakeFloor, rows.open);
  const staged = idsToStage(rows.undisposed, floor, INTAKE_WINDOW_ROWS);
  if (staged.length > 0 || floor > state.intakeFloor) {
    await db.batch([leaseGuard(lease), ...stageRows(orgId, agentVersion, floor, staged)]);
  }
  const residuals = await loadResiduals(db, orgId, agentVersion, INTAKE_WINDOW_ROWS);
  const selected = pageResiduals(residuals, scope.nowMs, INTAKE_WINDOW_ROWS).map(
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
