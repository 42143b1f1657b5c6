/** Changing an org's Config: judged whole, written with its audit row, and never over a change nobody saw. */
import { GuardFailed } from "../db/client";
import { guard } from "../db/sql";
import type { RequestScope } from "../http/route";
import { nowSec } from "../platform/clock";
import { Failure, invalid } from "../platform/failure";
import { byteLength } from "../platform/text";
import { recordAudit } from "./audit";
import { type Config, configText, parseConfig } from "./config";
import { configHistory, SET_CONFIG } from "./config-history-store";
import { configIs, forgetConfig, loadConfig, type StoredConfig, useConfig } from "./config-store";

/** A Config is one row's column; the database holds 2 MB there. */
const MAX_CONFIG_BYTES = 1_000_000;
/** How often a change is tried that names no version, while others change the Config as well. */
const MAX_TRIES = 3;

export interface ConfigChange extends StoredConfig {
  /** False where the org used this Config already; nothing was written. */
  isChanged: boolean;
}

/** The org's Config as it is now, whatever this isolate remembers. */
export function currentConfig({ db, orgId, services }: RequestScope): Promise<StoredConfig> {
  forgetConfig(orgId);
  return loadConfig(db, orgId, services.clock);
}

async function overtaken({ db, orgId }: RequestScope): Promise<Failure> {
  const [newest] = await configHistory(db, orgId, 1);
  const who = newest === undefined ? "Somebody" : newest.by;
  return new Failure("conflict", `${who} changed the settings meanwhile; nothing was saved.`);
}

function judged(body: unknown): Config {
  const config = parseConfig(body);
  if (byteLength(configText(config)) <= MAX_CONFIG_BYTES) return config;
  throw invalid("", "The settings are too large.", `at most ${MAX_CONFIG_BYTES} bytes as JSON`, "too_large");
}

/**
 * Makes `body` the org's Config. Isolates that remember the old one follow within 30 s.
 * @param expectedHash the Config that the caller saw; null replaces whichever there is
 * @throws Failure("invalid") naming each fault by JSON pointer, Failure("conflict") where the org uses another
 * Config than the expected one; nothing is written then
 */
export async function setConfig(
  scope: RequestScope,
  body: unknown,
  expectedHash: string | null,
): Promise<ConfigChange> {
  const { db, orgId, principal, requestId, services } = scope;
  const config = judged(body);
  for (let tries = 1; ; tries += 1) {
    const before = await currentConfig(scope);
    const at = nowSec(services.clock);
    const { hash, statements } = await useConfig(orgId, config, at);
    if (before.hash === hash) return { hash, config, isChanged: false };
    if (expectedHash !== null && before.hash !== expectedHash) throw await overtaken(scope);
    try {
      await db.batch([
        guard("still_current", configIs(orgId, before.hash)),
        ...statements,
        recordAudit({
          principal,
          action: SET_CONFIG,
          entityType: "config",
          entityId: hash,
          requestId,
          at,
          details: { from: before.hash },
        }),
      ]);
      return { hash, config, isChanged: true };
    } catch (error) {
      // The call may have failed after it took effect.
      if ((await currentConfig(scope)).hash === hash) return { hash, config, isChanged: true };
      if (!(error instanceof GuardFailed)) throw error;
      if (expectedHash !== null || tries === MAX_TRIES) throw await overtaken(scope);
    } finally {
      forgetConfig(orgId);
    }
  }
}
