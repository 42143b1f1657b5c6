/** What is wrong with an environment: it would serve openly, miss a part, or lose messages. Pure. */
import type { Config, Environment } from "./config";

/** Names of settings that hold secrets. */
const SECRET = /(SECRET|PASSWORD|PRIVATE|(^|_)KEYS?$|API_KEY|ACCESS_TOKEN)/;
const CLOSED = ["staging", "production"];
const CRONS = ["* * * * *", "0 * * * *"];
const LIMITS = ["LIMIT_5", "LIMIT_10", "LIMIT_60", "LIMIT_120"];
const OBJECTS = ["AGGREGATION", "EMBEDDED_VECTORS"];
const CPU_MS = 120_000;
const DEAD_SUFFIX = "-dead";

const missing = (needed: readonly string[], found: readonly string[], what: string): string[] =>
  needed.filter((each) => !found.includes(each)).map((each) => `no ${what} ${each}`);

const bindings = (parts: readonly { binding: string }[]): string[] => parts.map(({ binding }) => binding);

function queueFaults({ queues }: Config): string[] {
  const consumed = queues.consumers.map(({ queue }) => queue);
  const unread = queues.producers.filter(({ queue }) => !consumed.includes(queue));
  return [
    ...missing(["WORK"], bindings(queues.producers), "queue producer"),
    ...unread.map(({ queue }) => `nothing consumes ${queue}`),
    ...queues.consumers.flatMap(({ queue, dead_letter_queue: dead }) => {
      if (queue.endsWith(DEAD_SUFFIX)) return [];
      if (dead === undefined) return [`queue ${queue} has no dead-letter queue`];
      // The Worker knows a dead-letter queue by its name.
      if (!dead.endsWith(DEAD_SUFFIX)) return [`the name of ${dead} must end in ${DEAD_SUFFIX}`];
      return consumed.includes(dead) ? [] : [`nothing consumes ${dead}`];
    }),
  ];
}

function topLevelFaults({ vars, ai, vectorize }: Config): string[] {
  return [
    ...("ENVIRONMENT" in vars
      ? ["the top level sets ENVIRONMENT; deployed without --env it would serve"]
      : []),
    ...(ai !== undefined || vectorize.length > 0 ? ["the top level binds a remote part"] : []),
  ];
}

function deployedFaults(name: string, config: Config): string[] {
  const { vars } = config;
  const environment = String(vars.ENVIRONMENT);
  const isClosed = CLOSED.includes(environment) && (!CLOSED.includes(name) || environment === name);
  return [
    ...(isClosed
      ? []
      : [`ENVIRONMENT is "${environment}" and must be "${name}"; "local" serves without keys`]),
    ...missing(["DB"], bindings(config.d1_databases), "D1 database"),
    ...missing(["VECTORIZE"], bindings(config.vectorize), "Vectorize index"),
    ...missing(["AI"], config.ai === undefined ? [] : [config.ai.binding], "AI binding"),
    ...missing(
      OBJECTS,
      config.durable_objects.bindings.map((binding) => binding.name),
      "Durable Object",
    ),
    ...missing(CRONS, config.triggers.crons, "cron trigger"),
    ...missing(
      LIMITS,
      config.ratelimits.map((limit) => limit.name),
      "rate limit",
    ),
    ...(vars.VECTORS === "vectorize" ? [] : ["VECTORS must be vectorize"]),
    ...(config.limits?.cpu_ms === CPU_MS ? [] : [`limits.cpu_ms must be ${CPU_MS}`]),
    ...queueFaults(config),
  ];
}

/** Faults of one environment by itself. */
export function faultsOf({ name, config }: Environment): string[] {
  const open = Object.keys(config.vars).filter((setting) => SECRET.test(setting));
  return [
    ...open.map((setting) => `${setting} stands in vars; it must be a secret`),
    ...(name === "" ? topLevelFaults(config) : deployedFaults(name, config)),
  ];
}

const storesOf = ({ d1_databases, vectorize, queues, ratelimits }: Config): string[] => [
  ...d1_databases.map(({ database_name }) => `D1 database ${database_name}`),
  ...vectorize.map(({ index_name }) => `Vectorize index ${index_name}`),
  ...queues.consumers.map(({ queue }) => `queue ${queue}`),
  ...ratelimits.map(({ namespace_id }) => `rate limit ${namespace_id}`),
];

/** What two environments share: one would read and write the other's data. */
export function sharedStores(environments: readonly Environment[]): string[] {
  const users = new Map<string, string[]>();
  for (const { name, config } of environments) {
    for (const store of storesOf(config)) {
      users.set(store, [...(users.get(store) ?? []), name || "the top level"]);
    }
  }
  return [...users]
    .filter(([, names]) => names.length > 1)
    .map(([store, names]) => `${store} is shared by ${names.join(" and ")}`);
}
