/** Adding rules directly. The same call again, also after an answer that was lost, adds nothing twice. */
import { GuardFailed } from "../db/client";
import { reserveIds } from "../db/sequences";
import type { Statement } from "../db/sql";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import type { Told } from "../orgs/webhooks/announce";
import { derivedId, sha256Hex } from "../platform/ids";
import { insertAgentPlaybooks } from "./agent-store";
import { announcePending } from "./announce-pending";
import { assertMayDecide } from "./approval";
import { followUp, recordCreation } from "./follow-up";
import { countLiving, notYetAdded } from "./follow-up-store";
import { flagsWithoutSupport } from "./gate";
import type { NewAgentPlaybook, NewUserPlaybook, RuleText } from "./model";
import { type AddedAgentPlaybook, type AddedUserPlaybook, textOrNull } from "./schemas";
import { insertUserPlaybooks } from "./user-store";
import { type RuleKind, writeVectors } from "./vector-store";
import { embedRulesIfReady } from "./vectors";

interface Addition<Row extends RuleText & { agentVersion: string; status: string | null }> {
  kind: RuleKind;
  /** What was asked for; its hash recognises the call when it comes again. */
  asked: readonly unknown[];
  rowOf(position: number, entityId: number, nowMs: number): Row;
  insert(rows: readonly Row[]): Statement[];
  /** Versions whose aggregation must look at the new rows. */
  versionsToAggregate(rows: readonly Row[]): string[];
  /** What the org is told of the new rows. */
  announcement(rows: readonly Row[], nowMs: number): Promise<Told | null>;
}

async function add<Row extends RuleText & { agentVersion: string; status: string | null }>(
  scope: RequestScope,
  addition: Addition<Row>,
): Promise<number> {
  const { services, db, orgId, principal } = scope;
  const { kind, asked } = addition;
  const requestKey = await derivedId("add", [orgId, kind, await sha256Hex(JSON.stringify(asked))]);
  if ((await countLiving(db, orgId, kind, requestKey)) > 0) return asked.length;

  const nowMs = services.clock.nowMs();
  const createdAt = Math.floor(nowMs / 1000);
  const firstId = await reserveIds(db, orgId, kind, asked.length);
  const ids = asked.map((_, position) => firstId + position);
  const rows = ids.map((id, position) => addition.rowOf(position, id, nowMs));
  const vectors = await embedRulesIfReady(services, rows);
  const versions = addition.versionsToAggregate(rows);
  const { statements, messages } = await followUp(orgId, kind, ids, versions, requestKey + firstId, nowMs);
  const told = await addition.announcement(rows, nowMs);
  const batch = [
    notYetAdded(orgId, kind, requestKey),
    ...addition.insert(rows),
    ...writeVectors(
      (vectors ?? []).flatMap((vector, position) => {
        const entityId = ids[position];
        return entityId === undefined ? [] : [{ orgId, kind, entityId, vector, nowMs }];
      }),
    ),
    ...(await recordCreation(orgId, kind, ids, principal.id, requestKey, createdAt)),
    recordAudit({
      principal,
      action: `add.${kind}`,
      entityType: kind,
      entityId: firstId,
      requestId: scope.requestId,
      at: createdAt,
      details: { count: ids.length },
    }),
    ...statements,
    ...(told?.statements ?? []),
  ];
  try {
    await db.batch(batch);
  } catch (error) {
    // Either a twin of this call was faster, or the batch is in and only its answer was lost.
    const isIn = (await countLiving(db, orgId, kind, requestKey)) > 0;
    if (!isIn) throw error;
    if (error instanceof GuardFailed) return asked.length;
  }
  services.defer(services.send([...messages, ...(told === null ? [] : [told.message])]));
  return asked.length;
}

/** @returns how many rows the call added */
export const addUserPlaybooks = (scope: RequestScope, asked: readonly AddedUserPlaybook[]): Promise<number> =>
  add<NewUserPlaybook>(scope, {
    kind: "user_playbook",
    asked,
    rowOf: (position, userPlaybookId, nowMs) =>
      newUserPlaybook(scope.orgId, at(asked, position), userPlaybookId, nowMs),
    insert: insertUserPlaybooks,
    versionsToAggregate: (rows) => rows.filter((row) => row.status === null).map((row) => row.agentVersion),
    announcement: async () => null,
  });

/**
 * @returns how many rows the call added
 * @throws Failure("forbidden") when one would be approved without the scope `review`; none is added
 */
export async function addAgentPlaybooks(
  scope: RequestScope,
  asked: readonly AddedAgentPlaybook[],
): Promise<number> {
  for (const row of asked) assertMayDecide(scope.principal, null, row.playbook_status ?? "pending");
  return add<NewAgentPlaybook>(scope, {
    kind: "agent_playbook",
    asked,
    rowOf: (position, agentPlaybookId, nowMs) =>
      newAgentPlaybook(scope, at(asked, position), agentPlaybookId, nowMs),
    insert: insertAgentPlaybooks,
    versionsToAggregate: () => [],
    announcement: (rows, nowMs) =>
      announcePending(rows.filter((row) => row.playbookStatus === "pending").map(addedByHand), 1, nowMs),
  });
}

/** What a caller wrote as metadata is no evidence. */
const addedByHand = (row: NewAgentPlaybook): NewAgentPlaybook => ({ ...row, playbookMetadata: "" });

function at<Row>(rows: readonly Row[], position: number): Row {
  const row = rows[position];
  if (row === undefined) throw new RangeError(`no row at ${position}`);
  return row;
}

const newUserPlaybook = (
  orgId: string,
  asked: AddedUserPlaybook,
  userPlaybookId: number,
  nowMs: number,
): NewUserPlaybook => ({
  orgId,
  userPlaybookId,
  userId: asked.user_id ?? null,
  agentVersion: asked.agent_version,
  requestId: asked.request_id,
  playbookName: asked.playbook_name ?? "",
  createdAt: Math.floor(nowMs / 1000),
  updatedAtMs: nowMs,
  content: asked.content ?? "",
  trigger: textOrNull(asked.trigger),
  rationale: textOrNull(asked.rationale),
  status: asked.status ?? null,
  source: asked.source ?? null,
  sourceInteractionIds: [...new Set(asked.source_interaction_ids ?? [])],
  sourceSpan: textOrNull(asked.source_span),
  tags: asked.tags ?? null,
  notes: null,
  readerAngle: null,
  expandedTerms: null,
  flags: [],
  windowId: null,
});

function newAgentPlaybook(
  { orgId, principal }: RequestScope,
  asked: AddedAgentPlaybook,
  agentPlaybookId: number,
  nowMs: number,
): NewAgentPlaybook {
  const playbookStatus = asked.playbook_status ?? "pending";
  const nowSec = Math.floor(nowMs / 1000);
  const isDecided = playbookStatus !== "pending";
  return {
    orgId,
    agentPlaybookId,
    playbookName: asked.playbook_name ?? "",
    agentVersion: asked.agent_version,
    createdAt: nowSec,
    updatedAtMs: nowMs,
    content: asked.content,
    trigger: textOrNull(asked.trigger),
    rationale: textOrNull(asked.rationale),
    playbookStatus,
    playbookMetadata: asked.playbook_metadata ?? "",
    status: null,
    tags: null,
    expandedTerms: null,
    flags: isDecided ? [] : [...flagsWithoutSupport],
    decidedBy: isDecided ? principal.id : null,
    decidedAt: isDecided ? nowSec : null,
    replaces: null,
  };
}
