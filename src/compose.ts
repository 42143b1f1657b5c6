/** Builds the services of one environment: the one place that knows which adapter is bound. */
import { Database } from "./db/client";
import type { WorkMessage } from "./db/outbox";
import { readSettings, type Settings } from "./env";
import { principalOfKey } from "./orgs/keys";
import { principalOfSession } from "./orgs/sessions";
import { metered } from "./orgs/usage";
import { systemClock } from "./platform/clock";
import { createEgress } from "./platform/egress";
import { createEmbedder } from "./platform/embedder";
import type { Embedder } from "./platform/embedder/port";
import { STATIC_TABLE_PATH } from "./platform/embedder/static";
import { derivedId, randomBytes, randomIds } from "./platform/ids";
import { createLog } from "./platform/log";
import { createReasoner } from "./platform/reasoner";
import type { Reasoner } from "./platform/reasoner/port";
import { createSecrets } from "./platform/secrets";
import { createVectorIndex } from "./platform/vectors";
import type { VectorIndex } from "./platform/vectors/port";
import type { Services } from "./services";

/** The bindings that Playmaker uses; `VECTORIZE` and `AI` exist only where they are bound. */
export interface Bindings {
  DB: D1Database;
  WORK: Queue<WorkMessage>;
  ASSETS: Fetcher;
  AGGREGATION: Env["AGGREGATION"];
  EMBEDDED_VECTORS: Env["EMBEDDED_VECTORS"];
  VECTORIZE?: VectorizeIndex;
  AI?: Ai;
}

const MODEL_TIMEOUT_MS = 120_000;
const MAX_MODEL_RESPONSE_BYTES = 8_388_608;
/** The service takes at most this many messages at once. */
const MAX_SEND = 100;

function egressOf(settings: Settings) {
  return createEgress({
    allowLoopback: settings.ENVIRONMENT === "local",
    timeoutMs: MODEL_TIMEOUT_MS,
    maxResponseBytes: MAX_MODEL_RESPONSE_BYTES,
  });
}

/** A receiver has this long to answer a webhook, and its answer is not read further than this. */
const WEBHOOK_TIMEOUT_MS = 15_000;
const MAX_WEBHOOK_RESPONSE_BYTES = 65_536;

async function loadEmbeddingTable(assets: Fetcher): Promise<ArrayBuffer> {
  const response = await assets.fetch(`http://assets.local${STATIC_TABLE_PATH}`);
  if (!response.ok) throw new Error(`The embedding table is missing: asset answered ${response.status}.`);
  return response.arrayBuffer();
}

function embedderOf(bindings: Bindings, settings: Settings): Embedder {
  return createEmbedder(
    {
      adapter: settings.EMBEDDER,
      ...(settings.EMBEDDING_MODEL !== undefined && { model: settings.EMBEDDING_MODEL }),
      ...(settings.EMBEDDING_BASE_URL !== undefined && { baseUrl: settings.EMBEDDING_BASE_URL }),
      ...(settings.EMBEDDING_API_KEY !== undefined && { apiKey: settings.EMBEDDING_API_KEY }),
    },
    {
      loadTable: () => loadEmbeddingTable(bindings.ASSETS),
      egress: egressOf(settings),
      ...(bindings.AI !== undefined && { ai: bindings.AI }),
    },
  );
}

function reasonerOf(bindings: Bindings, settings: Settings): Reasoner {
  return createReasoner(
    settings.REASONER === "offline"
      ? { adapter: "offline" }
      : {
          adapter: "llm",
          llm: {
            provider: settings.LLM_PROVIDER ?? "openai-compatible",
            model: settings.LLM_MODEL ?? "",
            ...(settings.LLM_SMALL_MODEL !== undefined && { smallModel: settings.LLM_SMALL_MODEL }),
            ...(settings.LLM_BASE_URL !== undefined && { baseUrl: settings.LLM_BASE_URL }),
            ...(settings.LLM_API_KEY !== undefined && { apiKey: settings.LLM_API_KEY }),
          },
        },
    {
      egress: egressOf(settings),
      nonce: () => randomIds.random("fence"),
      ...(bindings.AI !== undefined && { ai: bindings.AI }),
    },
  );
}

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/**
 * @param defer keeps the isolate alive for work that outlives the response
 * @throws Error naming a bad setting
 */
export function createServices(
  bindings: Bindings,
  { defer, requestId }: { defer(work: Promise<unknown>): void; requestId: string },
): Services {
  const settings = readSettings(bindings);
  const database = new Database(bindings.DB);
  // Made at once, so that a model without an entry is refused before anything is embedded with it.
  const embedder = embedderOf(bindings, settings);
  const vectors = once(
    (): VectorIndex =>
      createVectorIndex(
        { adapter: settings.VECTORS, model: embedder.model },
        {
          embedded: bindings.EMBEDDED_VECTORS,
          ...(bindings.VECTORIZE !== undefined && { vectorize: bindings.VECTORIZE }),
        },
      ),
  );
  const reasoner = once(() => reasonerOf(bindings, settings));
  const services: Services = {
    settings,
    clock: systemClock,
    ids: randomIds,
    log: createLog({ requestId }),
    database: () => database,
    principalOfKey: (key) => principalOfKey(database, key, systemClock),
    principalOfSession: (token) => principalOfSession(database, token, systemClock),
    reasoner: (orgId) =>
      metered(reasoner(), {
        db: database,
        orgId,
        clock: systemClock,
        log: services.log,
        send: (messages) => services.send(messages),
        dailyTokenCap: settings.DAILY_TOKEN_CAP,
        isFree: settings.REASONER === "offline",
      }),
    embedder,
    get vectors() {
      return vectors();
    },
    secrets: settings.SECRETS_KEYS === undefined ? null : createSecrets(settings.SECRETS_KEYS, randomBytes),
    webhookEgress: createEgress({
      allowLoopback: settings.ENVIRONMENT === "local",
      timeoutMs: WEBHOOK_TIMEOUT_MS,
      maxResponseBytes: MAX_WEBHOOK_RESPONSE_BYTES,
      redirects: "return",
    }),
    async send(messages) {
      for (let first = 0; first < messages.length; first += MAX_SEND) {
        await bindings.WORK.sendBatch(messages.slice(first, first + MAX_SEND).map((body) => ({ body })));
      }
    },
    async wakeAggregation(orgId, agentVersion) {
      const name = await derivedId("agg", [orgId, agentVersion]);
      await bindings.AGGREGATION.get(bindings.AGGREGATION.idFromName(name)).wake(orgId, agentVersion);
    },
    // What is deferred only speeds things up; the sweep makes up for what fails here.
    defer: (work) =>
      defer(
        work.catch((error: unknown) =>
          services.log.warn("deferred.failed", { error: error instanceof Error ? error.name : "" }),
        ),
      ),
  };
  return services;
}
