/** Services for tests inside workerd: the real database and adapters, with ports a test can replace. */
import { env } from "cloudflare:workers";
import { createServices } from "../../src/compose";
import type { WorkMessage } from "../../src/db/outbox";
import type { Services } from "../../src/services";

export interface TestServices extends Services {
  /** What was sent to the queue, in order. */
  readonly sent: WorkMessage[];
  /** Coordinators that were woken. */
  readonly woken: { orgId: string; agentVersion: string }[];
  /** Resolves when everything deferred has settled. */
  settled(): Promise<void>;
}

export function testServices(overrides: Partial<Services> = {}): TestServices {
  const deferred: Promise<unknown>[] = [];
  const sent: WorkMessage[] = [];
  const woken: { orgId: string; agentVersion: string }[] = [];
  const base = createServices(env, { requestId: "test", defer: (work) => deferred.push(work) });
  return {
    settings: base.settings,
    clock: base.clock,
    ids: base.ids,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    database: base.database,
    principalOfKey: base.principalOfKey,
    principalOfSession: base.principalOfSession,
    secrets: base.secrets,
    webhookEgress: base.webhookEgress,
    reasoner: base.reasoner,
    get embedder() {
      return base.embedder;
    },
    get vectors() {
      return base.vectors;
    },
    async send(messages) {
      sent.push(...messages);
    },
    async wakeAggregation(orgId, agentVersion) {
      woken.push({ orgId, agentVersion });
    },
    defer: base.defer,
    ...overrides,
    sent,
    woken,
    async settled() {
      await Promise.allSettled(deferred);
    },
  };
}
