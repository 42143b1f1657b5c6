/** What this implementation reads and runs, as `/.well-known/openplaybook` tells it (section b.4 of the specification). */
import { LIMITS, STEP_KINDS, TRIGGER_KINDS, VERSION, VERSION_TEXT } from "./spec";

/**
 * Documents are read and validated here (level 1), and run on a virtual clock (level 2). Nothing hosts their runs
 * yet, which is level 3.
 */
const CONFORMANCE_LEVEL = 2;

export const CAPABILITY = {
  /** The newest first. */
  opbVersions: Array.from(
    { length: VERSION.minor + 1 },
    (_, age) => `${VERSION.major}.${VERSION.minor - age}`,
  ),
  opbVersionMax: VERSION_TEXT,
  conformanceLevel: CONFORMANCE_LEVEL,
  stepKinds: STEP_KINDS,
  triggerKinds: TRIGGER_KINDS,
  expression: "cel",
  limits: LIMITS,
};
