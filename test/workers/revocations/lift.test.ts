/** A revocation that was a mistake: learning goes on, and rules wait for a person. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { liftRevocation } from "../../../src/revocations/lift";
import { consumeAll, currentOf, rulesOf, say } from "../learning/support";
import { count, db, deliver, newRoom, revokeNow, turnsOf, wholeUser } from "./support";

const RULE = "RULE sending parcels | ask for the depot key first";
const OTHER = "RULE closing tickets | ask how it went";

const ids = async (orgId: string, userId = "ada"): Promise<number[]> =>
  (
    await db.all(
      z.object({ id: z.int() }),
      sql`SELECT interaction_id AS id FROM interactions WHERE org_id = ${orgId} AND user_id = ${userId} ORDER BY 1`,
    )
  ).map(({ id }) => id);

describe("a lifted revocation", () => {
  it("lets learning have the turns again, and leaves the rules in review", async () => {
    const { orgId, services, scope } = newRoom();
    await say(services, orgId, { turns: [RULE], force: true });
    await consumeAll(services, orgId);
    await say(services, orgId, { turns: [OTHER], force: true });
    const { revocationId } = await revokeNow(scope, wholeUser("ada"));
    await say(services, orgId, { turns: ["RULE shipping glass | pad it twice"], force: true });
    await consumeAll(services, orgId);
    expect(await currentOf(orgId)).toEqual([]);

    expect(await liftRevocation(scope, revocationId)).toMatchObject({ state: "lifted" });
    expect(await liftRevocation(scope, revocationId)).toMatchObject({ state: "lifted" });
    expect(await count(sql`audit WHERE org_id = ${orgId} AND action = 'lift.revocation'`)).toBe(1);
    // What was held back is read at once, with its context, which may teach anew what waits in review. What came
    // meanwhile was never admitted.
    await deliver({ orgId, services }, "extraction");
    expect(await currentOf(orgId)).toEqual(["ask for the depot key first", "ask how it went"]);
    expect((await rulesOf(orgId)).map(({ status }) => status)).toEqual(["pending", null, null]);

    await say(services, orgId, { turns: ["RULE naming files | start with the date"], force: true });
    await consumeAll(services, orgId);
    expect(await currentOf(orgId)).toContain("start with the date");
    expect(await currentOf(orgId)).not.toContain("pad it twice");
  });

  it("leaves another revocation that names the same turns in force", async () => {
    const { orgId, services, scope } = newRoom();
    await say(services, orgId, { turns: [RULE], force: true });
    const [turn = 0] = await ids(orgId);
    const { revocationId } = await revokeNow(scope, wholeUser("ada"));
    await revokeNow(scope, turnsOf([turn], "ada"));
    await liftRevocation(scope, revocationId);
    await deliver({ orgId, services }, "extraction");
    expect(await rulesOf(orgId)).toEqual([]);
  });

  it("can be followed by a new revocation of the same target", async () => {
    const { orgId, services, scope } = newRoom();
    const first = await revokeNow(scope, wholeUser("ada"));
    await liftRevocation(scope, first.revocationId);
    const second = await revokeNow(scope, wholeUser("ada"));
    expect(second.revocationId).not.toBe(first.revocationId);
    await say(services, orgId, { turns: [RULE], force: true });
    await consumeAll(services, orgId);
    expect(await rulesOf(orgId)).toEqual([]);
  });

  it("is not lifted while it runs, and one that is not there is not found", async () => {
    const { orgId, scope } = newRoom();
    const { revocationId } = await revokeNow(scope, wholeUser("ada"));
    await db.run(sql`UPDATE revocations SET state = 'running' WHERE org_id = ${orgId}`);
    await expect(liftRevocation(scope, revocationId)).rejects.toMatchObject({ kind: "conflict" });
    await expect(liftRevocation(scope, "rev_none")).rejects.toMatchObject({ kind: "not_found" });
  });
});
