import fc from "fast-check";
import { expect, it } from "vitest";
import { validateDocument } from "../../../../src/documents/validate";
import { documents } from "../support/graphs";

it("random valid documents have no finding at all, as values and as texts", () => {
  fc.assert(
    fc.property(documents({ maxSteps: 20 }), (document) => {
      expect(validateDocument({ value: document }, { mode: "publish" }).findings).toEqual([]);
      const text = JSON.stringify(document, null, 1);
      const read = validateDocument({ text }, { mode: "publish" });
      expect(read.findings).toEqual([]);
      expect(read.document).toEqual(document);
    }),
    { numRuns: 60 },
  );
});
