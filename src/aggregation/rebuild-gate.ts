/** Whether a version has enough rules for a rebuild at all. Pure. */
import type { AggregationConfig } from "../orgs/config-schema";

/** User playbooks that start an aggregation; a count that is not positive means two (trap 52). */
export const neededRules = ({
  reaggregation_trigger_count: count,
}: Pick<AggregationConfig, "reaggregation_trigger_count">): number => (count <= 0 ? 2 : count);
