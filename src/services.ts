/** What every feature is given: the ports, bound to one environment and one request or event. */
import type { Database } from "./db/client";
import type { WorkMessage } from "./db/outbox";
import type { Settings } from "./env";
import type { Clock } from "./platform/clock";
import type { Egress } from "./platform/egress";
import type { Embedder } from "./platform/embedder/port";
import type { Ids } from "./platform/ids";
import type { Log } from "./platform/log";
import type { Principal } from "./platform/principal";
import type { Reasoner } from "./platform/reasoner/port";
import type { Secrets } from "./platform/secrets";
import type { VectorIndex } from "./platform/vectors/port";

export interface Services {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Whom an API key stands for; null for an unknown, revoked or expired one. */
  principalOfKey(key: string): Promise<Principal | null>;
  /** Whom a browser's token stands for; null where nobody signed in with it, or their key is dead. */
  principalOfSession(token: string): Promise<Principal | null>;
  /** The org's database; the seam for more than one. */
  database(orgId: string): Database;
  /** Counts usage against the org's daily cap. */
  reasoner(orgId: string): Reasoner;
  readonly embedder: Embedder;
  readonly vectors: VectorIndex;
  /** Seals what must be stored and read again; null where the deployment has no `SECRETS_KEYS`. */
  readonly secrets: Secrets | null;
  /** The guarded fetch for webhooks: it gives up after 15 s and returns redirects as they are. */
  readonly webhookEgress: Egress;
  /** Sends work messages now; the sweep sends again what this loses. */
  send(messages: readonly WorkMessage[]): Promise<void>;
  /** Tells the coordinator of an agent version that it has work. */
  wakeAggregation(orgId: string, agentVersion: string): Promise<void>;
  /** Lets a promise outlive the response: an accelerator, never the only way something happens. */
  defer(work: Promise<unknown>): void;
}
