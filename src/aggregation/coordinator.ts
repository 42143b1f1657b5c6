/** The coordinator of one agent version: serialises its turns. It holds no truth; D1 does. */
import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import { createServices } from "../compose";
import { systemClock } from "../platform/clock";
import { runAggregationTurn } from "./turn";

const keySchema = z.object({ orgId: z.string(), agentVersion: z.string() });
const KEY = "key";
const FAULT_RETRY_MS = 60_000;

/** One object per org and agent version; its name is `derivedId("agg", [orgId, agentVersion])`. */
export class AggregationCoordinator extends DurableObject<Env> {
  /** Notes whom it works for and sets the alarm; the work itself never runs inside this call. */
  async wake(orgId: string, agentVersion: string): Promise<void> {
    await this.ctx.storage.put(KEY, keySchema.parse({ orgId, agentVersion }));
    await this.runWithin(0);
  }

  /** One turn, then the alarm for the next. */
  override async alarm(): Promise<void> {
    const key = keySchema.safeParse(await this.ctx.storage.get(KEY));
    if (!key.success) return;
    const { orgId, agentVersion } = key.data;
    const services = createServices(this.env, {
      requestId: "aggregation",
      defer: (work) => this.ctx.waitUntil(work),
    });
    let nextInMs: number | null = FAULT_RETRY_MS;
    try {
      ({ nextInMs } = await runAggregationTurn(services, orgId, agentVersion));
    } catch (error) {
      services.log.error("aggregation.fault", { orgId, error: error instanceof Error ? error.name : "" });
    }
    if (nextInMs !== null) await this.runWithin(nextInMs);
  }

  /** Never later than planned; a wake during a turn keeps its earlier alarm. */
  private async runWithin(delayMs: number): Promise<void> {
    const atMs = systemClock.nowMs() + delayMs;
    const plannedMs = await this.ctx.storage.getAlarm();
    if (plannedMs === null || plannedMs > atMs) await this.ctx.storage.setAlarm(atMs);
  }
}
