/**
 * `npm run deploy:check`: dry-runs the deployment of every environment and fails on one that would serve
 * openly, miss a part, or lose messages. Needs no account.
 */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { unstable_readConfig as readConfig } from "wrangler";
import * as z from "zod";

const wrangler = createRequire(import.meta.url).resolve("wrangler/bin/wrangler.js");

/** `""` is the top level: what `wrangler deploy` without `--env` would deploy. */
const ENVIRONMENTS = ["", "staging", "production"];
const SECRETS = ["ADMIN_SECRET", "CURSOR_SECRET", "LLM_API_KEY", "EMBEDDING_API_KEY", "SECRETS_KEYS"];
/** The compressed bundle must stay far from the platform's 3 MB. */
const MAX_BUNDLE_KIB = 1500;

const named = z.array(z.object({ binding: z.string() }));

/** The parts of wrangler's resolved configuration that are held against the design. */
const configSchema = z.object({
  vars: z.record(z.string(), z.unknown()),
  d1_databases: named,
  vectorize: named,
  ai: z.object({ binding: z.string() }).optional(),
  durable_objects: z.object({ bindings: z.array(z.object({ class_name: z.string() })) }),
  queues: z.object({
    producers: named.optional(),
    consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() })).optional(),
  }),
  triggers: z.object({ crons: z.array(z.string()).optional() }),
  ratelimits: z.array(z.unknown()),
  limits: z.object({ cpu_ms: z.int() }).optional(),
});

interface Report {
  name: string;
  faults: string[];
  bundle: string;
}

/** What the dry run says it would deploy. */
function dryRun(environment: string): { ok: boolean; output: string } {
  const result = spawnSync(
    process.execPath,
    [wrangler, "deploy", "--dry-run", "--env", environment, "--outdir", `dist/${environment || "top-level"}`],
    { encoding: "utf8", env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "true" } },
  );
  return { ok: result.status === 0, output: `${result.stdout}\n${result.stderr}` };
}

function faultsOf(environment: string, output: string): string[] {
  const config = configSchema.parse(readConfig({ config: "wrangler.toml", env: environment }));
  const faults: string[] = [];
  const expect = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  const { vars } = config;
  const shown = /env\.ENVIRONMENT \("(\w+)"\)/.exec(output)?.[1];
  expect(
    shown === vars.ENVIRONMENT,
    `the dry run shows ENVIRONMENT ${shown}, the configuration ${vars.ENVIRONMENT}`,
  );
  for (const secret of SECRETS) expect(!(secret in vars), `${secret} stands in vars; it must be a secret`);
  if (environment === "") {
    expect(
      vars.ENVIRONMENT === undefined,
      "the top level sets ENVIRONMENT; deployed without --env it would serve",
    );
    expect(config.ai === undefined && config.vectorize.length === 0, "the top level binds a remote part");
    return faults;
  }
  expect(
    vars.ENVIRONMENT === environment,
    `ENVIRONMENT must be "${environment}"; "local" would serve without keys`,
  );
  expect(
    config.d1_databases.some(({ binding }) => binding === "DB"),
    "no D1 database",
  );
  expect(
    config.vectorize.some(({ binding }) => binding === "VECTORIZE"),
    "no Vectorize index",
  );
  expect(config.ai?.binding === "AI", "no AI binding");
  expect(vars.VECTORS === "vectorize", "VECTORS must be vectorize");
  expect(config.durable_objects.bindings.length === 2, "a Durable Object binding is missing");
  expect(
    (config.queues.producers ?? []).some(({ binding }) => binding === "WORK"),
    "no queue producer",
  );
  expect(config.triggers.crons?.length === 2, "a cron trigger is missing");
  expect(config.ratelimits.length === 4, "a rate limit is missing");
  expect(config.limits?.cpu_ms === 120_000, "limits.cpu_ms must be 120000");
  const consumers = config.queues.consumers ?? [];
  for (const { queue, dead_letter_queue: dead } of consumers) {
    if (queue.endsWith("-dead")) continue;
    expect(dead !== undefined, `queue ${queue} has no dead-letter queue`);
    expect(
      consumers.some((consumer) => consumer.queue === dead),
      `nothing consumes ${dead}`,
    );
  }
  return faults;
}

function check(environment: string): Report {
  const { ok, output } = dryRun(environment);
  const bundle = /Total Upload: .*/.exec(output)?.[0] ?? "no bundle";
  const faults = ok ? faultsOf(environment, output) : [`the dry run failed:\n${output}`];
  const compressedKiB = Number(/gzip: ([\d.]+) KiB/.exec(bundle)?.[1] ?? Number.NaN);
  if (!(compressedKiB <= MAX_BUNDLE_KIB))
    faults.push(`the bundle is ${compressedKiB} KiB compressed, over ${MAX_BUNDLE_KIB}`);
  return { name: environment || "top level", faults, bundle };
}

const reports = ENVIRONMENTS.map(check);
for (const { name, faults, bundle } of reports) {
  console.log(`${faults.length === 0 ? "ok  " : "FAIL"} ${name.padEnd(10)} ${bundle}`);
  for (const fault of faults) console.log(`       ${fault}`);
}
const failed = reports.filter(({ faults }) => faults.length > 0).length;
console.log(`${reports.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
