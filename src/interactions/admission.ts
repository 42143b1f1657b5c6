/** Which extractors may ever learn from a request: decided once, when it is published. Pure. */
import type { Config, ExtractorKind } from "../orgs/config";

/** The kinds of learning that run today. The profile pipeline joins by adding its kind here. */
export const activeKinds: readonly ExtractorKind[] = ["playbook"];

export interface AdmissionInput {
  config: Config;
  source: string;
  evaluationOnly: boolean;
  /** Learning of the org is paused for want of a working model account. */
  stalled: boolean;
  /** The publisher asks to be admitted all the same. */
  overrideStall: boolean;
}

export type Admission = Record<ExtractorKind, boolean>;

const takesSource = (enabled: readonly string[] | null, source: string): boolean =>
  enabled === null || enabled.length === 0 || enabled.includes(source);

/** Input that is not admitted is stored, and stays out of learning whatever changes later. */
export function admit({ config, source, evaluationOnly, stalled, overrideStall }: AdmissionInput): Admission {
  const open = !evaluationOnly && (!stalled || overrideStall);
  const playbook = config.user_playbook_extractor_config;
  const profile = config.profile_extractor_config;
  return {
    playbook: open && playbook !== null && takesSource(playbook.request_sources_enabled, source),
    profile:
      open &&
      profile !== null &&
      !profile.manual_trigger &&
      takesSource(profile.request_sources_enabled, source),
  };
}
