/**
 * `npm run deploy:check [-- --config FILE]`: dry-runs the deployment of every environment of the file and
 * fails on one that would serve openly, miss a part, or lose messages. Needs no account.
 */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { type Environment, readEnvironments } from "./deploy/config";
import { faultsOf, sharedStores } from "./deploy/faults";

const wrangler = createRequire(import.meta.url).resolve("wrangler/bin/wrangler.js");
const DRY_RUN_MS = 120_000;
/** The compressed bundle must stay far from the platform's 3 MB. */
const MAX_BUNDLE_KIB = 1500;

const { values: options } = parseArgs({ options: { config: { type: "string", default: "wrangler.toml" } } });

/** What the dry run says it would deploy. */
function dryRun(name: string): { ok: boolean; output: string } {
  const { CLOUDFLARE_ENV: _, ...inherited } = process.env;
  const outDir = `dist/${name || "top-level"}`;
  const result = spawnSync(
    process.execPath,
    [wrangler, "deploy", "--dry-run", "--config", options.config, "--env", name, "--outdir", outDir],
    {
      encoding: "utf8",
      env: { ...inherited, WRANGLER_SEND_METRICS: "false", CI: "true" },
      timeout: DRY_RUN_MS,
    },
  );
  return { ok: result.status === 0, output: `${result.stdout}\n${result.stderr}` };
}

function bundleFaults(bundle: string): string[] {
  const compressedKiB = Number(/gzip: ([\d.]+) KiB/.exec(bundle)?.[1] ?? Number.NaN);
  return compressedKiB <= MAX_BUNDLE_KIB
    ? []
    : [`the bundle is ${compressedKiB} KiB compressed, over ${MAX_BUNDLE_KIB}`];
}

function check(environment: Environment): { name: string; faults: string[]; bundle: string } {
  const name = environment.name || "top level";
  const { ok, output } = dryRun(environment.name);
  const bundle = /Total Upload: .*/.exec(output)?.[0] ?? "no bundle";
  if (!ok) return { name, bundle, faults: [...faultsOf(environment), `the dry run failed:\n${output}`] };
  const shown = /env\.ENVIRONMENT \("(\w+)"\)/.exec(output)?.[1];
  const meant = environment.config.vars.ENVIRONMENT;
  const differs =
    shown === meant ? [] : [`the dry run shows ENVIRONMENT ${shown}, the configuration ${meant}`];
  return { name, bundle, faults: [...faultsOf(environment), ...differs, ...bundleFaults(bundle)] };
}

const environments = readEnvironments(options.config);
const reports = [
  ...environments.map(check),
  { name: "apart", faults: sharedStores(environments), bundle: "no store is shared between environments" },
];
for (const { name, faults, bundle } of reports) {
  console.log(`${faults.length === 0 ? "ok  " : "FAIL"} ${name.padEnd(10)} ${bundle}`);
  for (const fault of faults) console.log(`       ${fault}`);
}
const failed = reports.filter(({ faults }) => faults.length > 0).length;
console.log(`${reports.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
