/** Settings of the local Worker. They reach it by file, so that no secret stands on a command line. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Settings a shell may pass on to the Worker. */
const PASSED_ON = [
  "REASONER",
  "LLM_PROVIDER",
  "LLM_BASE_URL",
  "LLM_API_KEY",
  "LLM_MODEL",
  "LLM_SMALL_MODEL",
  "EMBEDDER",
  "EMBEDDING_MODEL",
  "EMBEDDING_BASE_URL",
  "EMBEDDING_API_KEY",
  "DEFAULT_AGENT_VERSION",
  "AGGREGATION_MIN_INTERVAL_SECONDS",
  "DAILY_TOKEN_CAP",
  "MODEL_PRICES",
  "INTERACTION_CLEANUP_THRESHOLD",
  "INTERACTION_CLEANUP_COUNT",
];

/** The admin secret of this state folder: made once, readable by its owner alone. */
function adminSecretOf(stateDir: string): string {
  const file = join(stateDir, "admin-secret");
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("hex"), { mode: 0o600 });
  return readFileSync(file, "utf8").trim();
}

/** The key that seals stored secrets of this state folder: made once, as the admin secret is. */
function secretsKeysOf(stateDir: string): string {
  const file = join(stateDir, "secrets-keys");
  if (!existsSync(file)) {
    const keys = { local: randomBytes(32).toString("base64") };
    writeFileSync(file, JSON.stringify(keys), { mode: 0o600 });
  }
  return readFileSync(file, "utf8").trim();
}

/** A value for an env file, where a double quotation mark is not escaped but put between single ones. */
const quoted = (value: string): string => (value.includes('"') ? `'${value}'` : JSON.stringify(value));

/** @returns the file, for `wrangler dev --env-file` */
export function writeSettings(stateDir: string): string {
  const settings = [
    ["ENVIRONMENT", "local"],
    ["ADMIN_SECRET", adminSecretOf(stateDir)],
    ["SECRETS_KEYS", secretsKeysOf(stateDir)],
    ...PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  ];
  const file = join(stateDir, "settings.env");
  writeFileSync(file, settings.map(([name, value = ""]) => `${name}=${quoted(value)}\n`).join(""), {
    mode: 0o600,
  });
  return file;
}
