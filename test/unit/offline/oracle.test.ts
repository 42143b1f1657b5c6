import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { extractOffline } from "../../../src/platform/reasoner/offline/extract";
import { oracleSchema } from "../../eval/oracle";
import { type Extraction, scoreMicro } from "../../eval/score";
import { wholeConversation } from "../../eval/windows";
import { guidance } from "./turns";

const oraclePath = join(import.meta.dirname, "../../eval/oracle.json");

describe.skipIf(!existsSync(oraclePath))("the project's own short cases", () => {
  const oracle = oracleSchema.parse(JSON.parse(readFileSync(oraclePath, "utf8")));
  const silent = oracle.micro.filter((micro) => micro.expect === null);

  function found(turns: ReadonlyArray<{ role: string; content: string }>): Extraction[] {
    return wholeConversation(turns).flatMap((window) =>
      extractOffline({ turns: window.turns, guidance }).playbooks.map((rule) => ({
        ...rule,
        kind: rule.evidence_kind,
        evidence: [],
        spansAreVerbatim: true,
      })),
    );
  }

  it.each(silent.map((micro) => [micro.note, micro] as const))("finds nothing in: %s", (_note, micro) => {
    expect(found(micro.turns)).toEqual([]);
  });

  it("finds at least 95 of 100 stated rules", () => {
    const asked = oracle.micro.filter((micro) => micro.expect !== null);
    const hits = asked.filter((micro) => scoreMicro(found(micro.turns), micro.expect) === "hit");
    expect(hits.length / asked.length).toBeGreaterThanOrEqual(0.95);
  });
});
