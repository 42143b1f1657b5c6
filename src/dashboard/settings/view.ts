/** Everything the page of settings shows, read in one place. */
import type { RequestScope } from "../../http/route";
import { type Config, configText, defaultConfig, gateThresholds, windowPolicy } from "../../orgs/config";
import { currentConfig } from "../../orgs/config-change";
import { type ConfigVersion, configHistory } from "../../orgs/config-history-store";
import { type Difference, differences } from "./json";

/** How many versions the page offers to go back to. */
const SHOWN_VERSIONS = 10;

export interface ShownVersion extends Omit<ConfigVersion, "body"> {
  isCurrent: boolean;
  /** What it would change of the current one; null where it is too long to be compared here. */
  differences: Difference[] | null;
}

export interface SettingsView {
  hash: string;
  /** The Config as it is stored: every key, in the schema's order. */
  document: unknown;
  /** What holds after presets and defaults, per field. */
  inEffect: ReadonlyMap<string, string>;
  versions: ShownVersion[];
}

/** A stored Config as a JSON value. */
export const documentOf = (config: Config): unknown => JSON.parse(configText(config));

/** The default Config as a JSON value. */
export const defaultDocument = (): unknown => documentOf(defaultConfig());

function inEffect(scope: RequestScope, config: Config): Map<string, string> {
  const { clusteringSimilarity, name } = scope.services.embedder.model;
  const { windowSize, strideSize } = windowPolicy(config, "playbook");
  const gate = gateThresholds(config);
  return new Map([
    ["extraction_preset", `windows of ${windowSize}, stride ${strideSize}`],
    ["window_size", String(windowSize)],
    ["stride_size", String(strideSize)],
    [
      "user_playbook_extractor_config/aggregation_config/clustering_similarity",
      `${config.user_playbook_extractor_config?.aggregation_config?.clustering_similarity ?? clusteringSimilarity} with the embedding model ${name}`,
    ],
    ["review_gate/min_distinct_users", String(gate.minDistinctUsers)],
    ["review_gate/min_distinct_users_sensitive", String(gate.minDistinctUsersSensitive)],
  ]);
}

export async function settingsView(scope: RequestScope): Promise<SettingsView> {
  const { db, orgId } = scope;
  const [{ hash, config }, history] = await Promise.all([
    currentConfig(scope),
    configHistory(db, orgId, SHOWN_VERSIONS),
  ]);
  const document = documentOf(config);
  const versions = history.map(({ body, ...version }) => ({
    ...version,
    isCurrent: version.hash === hash,
    differences: body === null ? null : differences(document, JSON.parse(body)),
  }));
  return { hash, document, inEffect: inEffect(scope, config), versions };
}
