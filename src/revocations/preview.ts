/** What a revocation would touch, listed before it begins. */
import type { RequestScope } from "../http/route";
import { derivedId, sha256Hex } from "../platform/ids";
import type { Preview, Revocation, RevocationTarget } from "./model";
import { type Survey, survey } from "./open-store";
import { revocationsOf } from "./store";

/** Rows of a kind that a preview shows, and characters of their texts. */
const SHOWN = 500;
const SHOWN_CHARACTERS = 300;
/** Rows of a kind whose versions the token covers; beyond them their number counts. */
const COVERED = 50_000;

export const inForceOf = (revocations: readonly Revocation[]): Revocation[] =>
  revocations.filter(({ state }) => state !== "lifted");

/** The id of a target in its org: which turns of which user. */
const targetKey = ({ kind, userId, interactionIds }: RevocationTarget): Promise<string> =>
  sha256Hex(JSON.stringify([kind, userId, interactionIds]));

/**
 * Stands for exactly this list: which rules at which version, before which revocations of the same target. It is
 * no secret; it proves that the list was read, not who read it.
 */
async function tokenOf(
  orgId: string,
  target: RevocationTarget,
  { open, totals }: Survey,
  before: readonly Revocation[],
): Promise<string> {
  const pairs = [open.userPlaybooks, open.agentPlaybooks].map((rows) =>
    rows.map(({ id, version }) => [id, version]),
  );
  const states = before.map(({ revocationId, state }) => [revocationId, state]);
  const list = await sha256Hex(JSON.stringify([totals, pairs, states]));
  return derivedId("list", [orgId, await targetKey(target), list]);
}

/** The id of the revocation that a caller with this token begins: the same call again finds what it began. */
export const revocationIdOf = async (
  orgId: string,
  target: RevocationTarget,
  token: string,
): Promise<string> => derivedId("rev", [orgId, await targetKey(target), token]);

export interface Sight {
  preview: Preview;
  survey: Survey;
  /** Every revocation of exactly this target, newest first. */
  before: Revocation[];
}

/** The preview with the versions behind it. */
export async function look(
  { db, orgId }: Pick<RequestScope, "db" | "orgId">,
  target: RevocationTarget,
): Promise<Sight> {
  const before = await revocationsOf(db, orgId, target);
  const inForce = inForceOf(before).map(({ revocationId }) => revocationId);
  const found = await survey(
    db,
    { orgId, target, revocationId: null, inForce },
    { shown: SHOWN, characters: SHOWN_CHARACTERS, covered: COVERED },
  );
  const { open: _, ...shown } = found;
  const token = await tokenOf(orgId, target, found, before);
  return { preview: { ...shown, token, in_force: inForce }, survey: found, before };
}

/** Lists what revoking the target would touch; changes nothing. */
export const previewRevocation = async (
  scope: Pick<RequestScope, "db" | "orgId">,
  target: RevocationTarget,
): Promise<Preview> => (await look(scope, target)).preview;
