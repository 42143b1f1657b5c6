/** Begins a revocation and carries it on as far as one call may. */
import { enqueue } from "../db/outbox";
import type { Statement } from "../db/sql";
import { describeFault } from "../http/fault";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { Failure } from "../platform/failure";
import type { Revocation, RevocationTarget, Totals } from "./model";
import { inForceOf, look, revocationIdOf, type Sight } from "./preview";
import { advance, firstKey, withdrawal } from "./run";
import {
  dropTouchedWindows,
  findRevocation,
  insertRevocation,
  type NewRevocation,
  revocationsOf,
} from "./store";

/** Batches that the caller waits for; a larger set goes on by itself. */
const BATCHES_OF_A_CALL = 8;

/** The rules have changed since the list was read; nothing was revoked. */
export class StalePreview extends Failure {
  constructor(
    readonly totals: Totals,
    readonly token: string,
  ) {
    super(
      "conflict",
      `What this would touch has changed since the preview: it is now ${totals.user_playbooks} user playbooks and ` +
        `${totals.agent_playbooks} agent playbooks.`,
      [
        {
          pointer: "/token",
          message: "is not the token of what would be touched now",
          expected: "the token of a new preview of the same target",
          type: "conflict",
        },
      ],
    );
  }
}

/** A revocation that stands for this call as well: begun by it before, under way, or with nothing left to add. */
function standIn({ before, preview }: Sight, revocationId: string): Revocation | undefined {
  const inForce = inForceOf(before);
  const isNothingNew = preview.totals.user_playbooks + preview.totals.agent_playbooks === 0;
  return (
    inForce.find((each) => each.revocationId === revocationId) ??
    inForce.find(({ state }) => state === "running") ??
    (isNothingNew ? inForce[0] : undefined)
  );
}

/** The work that carries a revocation on; there is one of each. */
const workOf = ({ orgId, clockMs }: { orgId: string; clockMs: number }, revocationId: string) =>
  enqueue({
    orgId,
    topic: "revocation",
    key: firstKey(revocationId),
    cause: revocationId,
    nowMs: clockMs,
  });

/**
 * The first batch: the record, after which nothing more is learned from the target; its unfinished windows; the
 * rules that leave service; and the work that carries it on.
 */
async function beginning(
  { orgId, principal, requestId }: RequestScope,
  revocation: NewRevocation,
  { survey }: Sight,
  nowMs: number,
): Promise<Statement[]> {
  const { revocationId, createdAt } = revocation;
  const { statement } = await workOf({ orgId, clockMs: nowMs }, revocationId);
  return [
    ...insertRevocation(revocation),
    ...dropTouchedWindows(revocation),
    ...(await withdrawal(revocation, orgId, survey.open, nowMs)),
    statement,
    recordAudit({
      principal,
      action: `revoke.${revocation.kind}`,
      entityType: "revocation",
      entityId: revocationId,
      requestId,
      at: createdAt,
      details: { turns: survey.turns, ...survey.totals },
    }),
  ];
}

/** As far as the caller waits; whatever stops it, the queue or the sweep goes on. */
async function carryOn({ services, orgId, db }: RequestScope, revocation: Revocation): Promise<Revocation> {
  const { message } = await workOf({ orgId, clockMs: services.clock.nowMs() }, revocation.revocationId);
  const resend = () =>
    services.defer(
      services.send([message]).catch(() => services.log.warn("revocation.send_failed", { orgId, count: 1 })),
    );
  try {
    let isMore = true;
    for (let batch = 0; isMore && batch < BATCHES_OF_A_CALL; batch += 1) {
      isMore = await advance(services, message);
    }
    if (isMore) resend();
    return (await findRevocation(db, orgId, revocation.revocationId)) ?? revocation;
  } catch (error) {
    services.log.warn("revocation.interrupted", { orgId, ...describeFault(error) });
    resend();
    return revocation;
  }
}

/** Whatever is in after a batch whose outcome is not known, or whose guard said that a twin was faster. */
async function begunMeanwhile(
  { db, orgId }: RequestScope,
  target: RevocationTarget,
  revocationId: string,
): Promise<Revocation | undefined> {
  const inForce = inForceOf(await revocationsOf(db, orgId, target));
  return (
    inForce.find((each) => each.revocationId === revocationId) ??
    inForce.find(({ state }) => state === "running")
  );
}

/**
 * Revokes turns of a user, or the user: nothing is learned from them any more, and every rule derived from them
 * goes back to review with the reason. The same call again answers the same.
 * @param token of the preview that the caller read
 * @throws StalePreview where the list has changed since; Failure("not_found") for turns that are not there and
 * that no rule cites
 */
export async function revoke(
  scope: RequestScope,
  target: RevocationTarget,
  reason: string,
  token: string,
): Promise<Revocation> {
  const { services, db, orgId, principal } = scope;
  const revocationId = await revocationIdOf(orgId, target, token);
  const sight = await look(scope, target);
  const known = standIn(sight, revocationId);
  if (known !== undefined) return known.state === "running" ? carryOn(scope, known) : known;

  const { turns, totals, token: currentToken } = sight.preview;
  if (currentToken !== token) throw new StalePreview(totals, currentToken);
  if (target.kind === "interaction" && turns + totals.user_playbooks + totals.agent_playbooks === 0) {
    throw new Failure("not_found", "The user has none of these turns, and no rule cites them.");
  }
  const nowMs = services.clock.nowMs();
  const revocation: NewRevocation = {
    ...target,
    ...{ orgId, revocationId, reason, principalId: principal.id, createdAt: Math.floor(nowMs / 1000) },
  };
  const statements = await beginning(scope, revocation, sight, nowMs);
  let fault: unknown;
  await db.batch(statements).catch((error: unknown) => {
    fault = error;
  });
  const begun = await begunMeanwhile(scope, target, revocationId);
  if (begun === undefined) throw fault;
  return carryOn(scope, begun);
}
