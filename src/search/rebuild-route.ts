/** Asking for the vector index of one's org to be filled again from the database. */
import * as z from "zod";
import { enqueue } from "../db/outbox";
import { defineRoute } from "../http/define";
import { Reply } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { nowSec } from "../platform/clock";

const NEXT =
  "Every rule of the org is copied into the index again, page by page in the background. Searches go on meanwhile; " +
  "those by words miss nothing.";

export const rebuildRoute = defineRoute({
  dialect: "own",
  method: "post",
  path: "/api/rebuild_vector_index",
  tag: "Search",
  summary: "Fill the org's vector index again from the database",
  description: "For an index that was emptied, or is new. Safe to repeat.",
  scope: "admin",
  limit: "bulk",
  example: {},
  response: z.object({ status: z.literal("queued"), message: z.string() }),
  otherAnswers: { 202: "Queued; the message says what happens next." },
  async handler({ services, orgId, db, principal, requestId }) {
    const { message, statement } = await enqueue({
      orgId,
      topic: "reindex",
      key: [],
      cause: services.ids.random("rebuild"),
      nowMs: services.clock.nowMs(),
    });
    await db.batch([
      statement,
      recordAudit({
        principal,
        action: "rebuild.vector_index",
        entityType: "org",
        entityId: orgId,
        requestId,
        at: nowSec(services.clock),
      }),
    ]);
    services.defer(
      services
        .send([message])
        .catch(() => services.log.warn("search.rebuild_send_failed", { id: message.id })),
    );
    return new Reply(202, { status: "queued", message: NEXT });
  },
});
