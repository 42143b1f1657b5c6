/** The words of a full rebuild: what bounds it, and what may become of a cluster. */
import type { Lease } from "../db/leases";
import type { Config } from "../orgs/config";
import type { AggregationConfig } from "../orgs/config-schema";
import type { Services } from "../services";
import { INTAKE_WINDOW_ROWS } from "./intake";

/** User playbooks above which a rebuild is refused before anything changes (specification 8.9). */
export const REBUILD_MAX_ROWS = INTAKE_WINDOW_ROWS;

/**
 * What came of a cluster: a rule; none, as the model says; none, because a person rejected the same before; none
 * that could be used, however often it was asked for; or an answer that its changed sources have overtaken.
 */
export const rebuildOutcomes = [
  "generated",
  "semantic_null",
  "rejected_before",
  "given_up",
  "stale",
] as const;
export type RebuildOutcome = (typeof rebuildOutcomes)[number];

/** A rebuild that no repetition helps; its name is the operation's error. */
export class RebuildRefused extends Error {
  constructor(
    override readonly name: "cap_exceeded" | "invalid_configuration_or_input",
    message: string,
  ) {
    super(message);
  }
}

/** What a caller reads about a version that is too large. */
export const capMessage = (rows: number): string =>
  `${rows} user playbooks: this exceeds the safety cap (${rows} > ${REBUILD_MAX_ROWS})`;

/** What one turn of a rebuild works with. */
export interface RebuildScope {
  services: Services;
  orgId: string;
  agentVersion: string;
  lease: Lease;
  /** The operation is also the run that its events name. */
  operationId: string;
  config: Config;
  aggregation: AggregationConfig;
  /** The bound model's. */
  space: { model: string; dimension: number };
}
