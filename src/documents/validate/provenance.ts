/** Where a document came from: nothing depends on it, so that an unknown member is only a warning (E105). */
import { EXTENSION_PREFIX, PROVENANCE_FIELDS } from "../spec";
import { childPointer } from "../text/pointer";
import { didYouMean } from "../text/suggest";
import type { Pass } from "./index";
import { asObject } from "./view";

const KNOWN: readonly string[] = PROVENANCE_FIELDS;

export const checkProvenance: Pass = ({ document }, report) => {
  for (const name of Object.keys(asObject(document.provenance))) {
    if (KNOWN.includes(name) || name.startsWith(EXTENSION_PREFIX)) continue;
    report("E105", childPointer("/provenance", name), `Nothing called "${name}" is known here.`, {
      severity: "warning",
      hint: didYouMean(name, KNOWN),
    });
  }
};
