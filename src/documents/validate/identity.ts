/** Who a playbook is: ids, version, price, status, connectors (D202, D203, D205, D207, D208, D211). */
import type { PlaybookDocument } from "../model";
import { PATTERNS, RUNNABLE_STATUSES, STATUSES } from "../spec";
import { canonicalJson } from "../text/canonical-json";
import { parseSemver } from "../text/semver";
import type { Pass } from "./index";
import { plainValue } from "./plain-value";
import type { Report } from "./report";
import { asList, asText, type DocumentView, isObject, oneOf, textsOf } from "./view";
import { shown } from "./words";

export const checkIdentity: Pass = (view, report, { mode, others }) => {
  checkIds(view, report);
  checkPrice(view, report);
  checkConnectors(view, report);
  // Whoever only looks may look at a draft.
  if (mode === "publish") checkStatus(view, report);
  if (others) checkImmutable(view, others, report);
};

function checkIds({ playbook, manifest }: DocumentView, report: Report): void {
  const version = asText(playbook.version);
  // The rest is the shape's to say: numbers of a pre-release without leading zeros are beyond its pattern.
  if (version !== null && PATTERNS.semver.test(version) && !parseSemver(version)) {
    report("D202", "/playbook/version", `${shown(version)} is no semantic version.`, {
      hint: 'such as "1.0.0"',
    });
  }
  const [playbookId, manifestId] = [asText(playbook.playbookId), asText(manifest.id)];
  if (playbookId === null || manifestId === null || playbookId === manifestId) return;
  if (!PATTERNS.playbookId.test(playbookId) || !PATTERNS.playbookId.test(manifestId)) return;
  report("D203", "/playbook/manifest/id", "The manifest's id is another one than playbook.playbookId.", {
    hint: shown(playbookId),
  });
}

/** A premium playbook has a price of at least one cent, another has none. */
function checkPrice({ manifest }: DocumentView, report: Report): void {
  const { pricingTier: tier, premiumPriceCents: price } = manifest;
  const path = "/playbook/manifest/premiumPriceCents";
  if (typeof price === "number" && !(Number.isSafeInteger(price) && price >= 1)) {
    report("D205", path, `${shown(price)} is no price.`, {
      hint: "a whole number of cents, at least 1, or null",
    });
  } else if (tier === "premium" && price === null) {
    report("D205", path, "A premium playbook has a price.", { hint: "a whole number of cents, at least 1" });
  } else if (tier === "free" && typeof price === "number") {
    report("D205", path, "A free playbook has no price.", { hint: "null" });
  }
}

function checkConnectors({ requires, manifest }: DocumentView, report: Report): void {
  const declared = new Set(
    asList(requires.connections).map((connection) => (isObject(connection) ? connection.id : connection)),
  );
  for (const { text, index } of textsOf(manifest.requiredConnectors)) {
    if (declared.has(text)) continue;
    report(
      "D208",
      `/playbook/manifest/requiredConnectors/${index}`,
      `${shown(text)} is required but not declared.`,
      {
        hint: `${shown(text)} in requires.connections`,
      },
    );
  }
}

/** A draft or an archived playbook is started by hand only, and only to test it. */
function checkStatus({ playbook, triggers }: DocumentView, report: Report): void {
  const status = oneOf(STATUSES, playbook.status);
  if (status === null || oneOf(RUNNABLE_STATUSES, status)) return;
  const started = triggers.find(
    ({ kind, trigger }) => kind !== null && kind !== "manual" && trigger.enabled !== false,
  );
  if (!started) return;
  report(
    "D207",
    "/playbook/status",
    `A playbook that is ${status} is started by no ${started.kind} trigger.`,
    {
      hint: `"${RUNNABLE_STATUSES[0]}"`,
    },
  );
}

/** What was published under a version stays what it is. */
function checkImmutable(
  { playbook }: DocumentView,
  others: readonly PlaybookDocument[],
  report: Report,
): void {
  const published = others.find(
    (other) =>
      other.playbook.playbookId === playbook.playbookId && other.playbook.version === playbook.version,
  );
  if (!published || canonicalJson(plainValue(published.playbook).value) === canonicalJson(playbook)) return;
  report(
    "D211",
    "/playbook/version",
    `Version ${shown(playbook.version)} was published with other content.`,
    {
      hint: "a new version",
    },
  );
}
