/** Windows over the real tables agree with the law, whatever was published and deleted. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sql } from "../../../src/db/sql";
import { nextWindow } from "../../../src/interactions/next-window";
import { parseConfig } from "../../../src/orgs/config";
import { forgetConfig, useConfig } from "../../../src/orgs/config-store";
import { call, idsOf, ORG, publishCall, turns, type World, world } from "./support";

interface Call {
  turns: number;
  force: boolean;
  evaluationOnly: boolean;
  skipAggregation: boolean;
  /** Positions of turns that are deleted afterwards. */
  deleted: number[];
}

const WINDOW = 4;
const STRIDE = 3;

const publishedCall: fc.Arbitrary<Call> = fc
  .record({
    turns: fc.integer({ min: 1, max: 6 }),
    kind: fc.constantFrom("plain", "plain", "plain", "force", "evaluation"),
    skipAggregation: fc.boolean(),
    deleted: fc.uniqueArray(fc.nat(5), { maxLength: 2 }),
  })
  .map(({ kind, ...rest }) => ({ ...rest, force: kind === "force", evaluationOnly: kind === "evaluation" }));

async function publishAll(services: World, userId: string, calls: readonly Call[]): Promise<void> {
  for (const [at, made] of calls.entries()) {
    const before = (await idsOf(services.db, userId)).length;
    await publishCall(services, userId, turns(made.turns), {
      request_id: `${userId} ${at}`,
      force_extraction: made.force,
      evaluation_only: made.evaluationOnly,
      skip_aggregation: made.skipAggregation,
    });
    const ids = (await idsOf(services.db, userId)).slice(before);
    for (const position of made.deleted) {
      const interaction_id = ids[position];
      if (interaction_id !== undefined) {
        await call(services, "DELETE", "/api/delete_interaction", { user_id: userId, interaction_id });
      }
    }
  }
}

interface Turn {
  seq: number;
  made: Call;
}

/** A window closes when it is ripe, turn by turn. */
function expectedWindows(stream: readonly Turn[]): { newIds: number[]; manifest: number[]; skip: boolean }[] {
  const windows: { newIds: number[]; manifest: number[]; skip: boolean }[] = [];
  let waiting: Turn[] = [];
  let seen: Turn[] = [];
  stream.forEach((turn, at) => {
    waiting.push(turn);
    const needed = windows.length === 0 ? WINDOW : Math.max(STRIDE, WINDOW - seen.length);
    const endsForced = turn.made.force && stream[at + 1]?.made !== turn.made;
    if (waiting.length < needed && !endsForced) return;
    windows.push({
      newIds: waiting.map(({ seq }) => seq),
      manifest: [...seen, ...waiting].slice(-WINDOW).map(({ seq }) => seq),
      skip: waiting.some(({ made }) => made.skipAggregation),
    });
    seen = [...seen, ...waiting];
    waiting = [];
  });
  return windows;
}

async function drained(services: World, userId: string) {
  const windows: { newIds: number[]; manifest: number[]; skip: boolean }[] = [];
  for (;;) {
    const next = await nextWindow(services.db, ORG, userId, "playbook");
    if ("waiting" in next) return windows;
    windows.push({ newIds: next.newIds, manifest: next.manifest, skip: next.skipAggregation });
    await services.db.run(
      sql`INSERT INTO cursors (org_id, user_id, kind, completed_seq, started, window_id, attempts, retry_at_ms,
            last_error, last_turn_ms) VALUES (${ORG}, ${userId}, 'playbook', ${next.endSeq}, 1, NULL, 0, 0, NULL, 0)
          ON CONFLICT (org_id, user_id, kind) DO UPDATE SET completed_seq = excluded.completed_seq`,
    );
  }
}

test("windows follow arrival order over random publishes, forces, evaluations and deletions", async () => {
  const services = world();
  const config = parseConfig({ window_size: WINDOW, stride_size: STRIDE });
  await services.db.batch((await useConfig(ORG, config, 1)).statements);
  forgetConfig(ORG);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(publishedCall, { minLength: 1, maxLength: 7 }), async (calls) => {
      run += 1;
      const userId = `user ${run}`;
      await publishAll(services, userId, calls);
      const survivors = new Set(await idsOf(services.db, userId));
      const { rows } = (
        await services.db.batch([
          sql`SELECT min_seq FROM requests WHERE org_id = ${ORG} AND user_id = ${userId} ORDER BY max_seq`,
        ])
      )[0] ?? { rows: [] };
      const stream = calls.flatMap((made, at) =>
        Array.from({ length: made.turns }, (_, ordinal) => ({
          seq: Number(Object(rows[at]).min_seq) + ordinal,
          made,
        })).filter(({ seq }) => survivors.has(seq) && !made.evaluationOnly),
      );
      expect(await drained(services, userId)).toEqual(expectedWindows(stream));
    }),
    { numRuns: 25 },
  );
});
