/** Telling an org what happened: statements for the batch of what happened, so that both are true or neither. */
import { enqueue, type WorkMessage } from "../../db/outbox";
import { type Statement, sql } from "../../db/sql";
import { derivedId } from "../../platform/ids";
import { wantsEvent } from "./endpoint-store";
import { insertMessage, type NewMessage } from "./message-store";
import type { Announcement } from "./model";

/** What follows an announcement. */
export interface Told {
  /** Two statements that must stay side by side. */
  statements: Statement[];
  /** To send once the batch is in; where nobody wants the event its row is not there, and nothing happens. */
  message: WorkMessage;
}

/** A message and the work of delivering it, written where `condition` holds and it was not written before. */
export async function tell(message: NewMessage, condition: Statement): Promise<Told> {
  const { orgId, messageId, createdAtMs } = message;
  const work = await enqueue({
    orgId,
    topic: "webhook",
    key: [messageId],
    cause: messageId,
    nowMs: createdAtMs,
    onlyIf: sql`changes() = 1`,
  });
  return { statements: [insertMessage(message, condition), work.statement], message: work.message };
}

/** Announces an event to the org's endpoint. Writes no row where there is none that wants it. */
export async function announce(orgId: string, announcement: Announcement, nowMs: number): Promise<Told> {
  const { type, key, data } = announcement;
  const messageId = await derivedId("msg", [orgId, type, ...key]);
  return tell({ orgId, messageId, type, data, createdAtMs: nowMs }, wantsEvent(orgId, type));
}
