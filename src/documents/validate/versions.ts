/** The two format versions: of the file and of the playbook in it (E101 to E104). */
import type { Json } from "../model";
import { VERSION, VERSION_TEXT } from "../spec";
import type { Pass } from "./index";
import { shown } from "./words";

interface FormatVersion {
  major: number;
  minor: number;
}

const OUTER = "/opbVersion";
const INNER = "/playbook/opbVersion";
const WELL_FORMED = /^(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
const RIGHT = `"${VERSION.major}.0" to "${VERSION_TEXT}": a text of two whole numbers`;

/** The version that a text names; null when it is none. */
export function readVersion(value: Json | undefined): FormatVersion | null {
  const match = typeof value === "string" ? WELL_FORMED.exec(value) : null;
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : null;
}

/** What is wrong with both in the same way is said once, of the outer one (ruling 22). */
export const checkVersions: Pass = (view, report, { mode }) => {
  const written = [
    { path: OUTER, value: view.document.opbVersion },
    { path: INNER, value: view.playbook.opbVersion },
  ].filter(({ value }) => value !== undefined);
  const same = written[0]?.value === written[1]?.value ? written.slice(0, 1) : written;
  for (const { path, value } of same) {
    const version = readVersion(value);
    if (!version) report("E101", path, `${shown(value)} is no format version.`, { hint: RIGHT });
  }

  const versions = written.flatMap(({ path, value }) => {
    const version = readVersion(value);
    return version ? [{ path, value, ...version }] : [];
  });
  const otherMajor = versions.find(({ major }) => major !== VERSION.major);
  if (otherMajor) {
    report("E102", otherMajor.path, `${shown(otherMajor.value)} is another major version.`, { hint: RIGHT });
  }
  const newer = versions.find(({ major, minor }) => major === VERSION.major && minor > VERSION.minor);
  if (newer) {
    report("E103", newer.path, `${shown(newer.value)} is newer than this reader knows.`, {
      hint: `at most "${VERSION_TEXT}"`,
      severity: mode === "inspect" ? "warning" : "error",
    });
  }
  const [outer, inner] = versions;
  if (!outer || !inner || otherMajor || outer.minor === inner.minor) return;
  report(
    "E104",
    INNER,
    `The playbook says ${shown(inner.value)}, the file around it ${shown(outer.value)}.`,
    {
      hint: `"${VERSION.major}.${outer.minor}" in both`,
      severity: inner.minor > outer.minor ? "error" : "warning",
    },
  );
};
