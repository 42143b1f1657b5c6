/** The runtime's own `Intl` and `TextDecoder` are what time zones and the reading of bytes hang on. */
import { describe, expect, it } from "vitest";
import { readJson } from "../../../src/documents/text/read-json";
import { nextFiring } from "../../../src/schedules/cron/next";
import { parseCron } from "../../../src/schedules/cron/parse";
import { isTimeZone } from "../../../src/schedules/cron/zone";

const firing = (text: string, zone: string, after: string): string => {
  const reading = parseCron(text);
  if (!reading.ok) throw new Error(reading.fault.message);
  return new Date(nextFiring(reading.cron, zone, Date.parse(after)) ?? 0).toISOString();
};

describe("in workerd", () => {
  it("fires through changes of the clocks as in Node", () => {
    expect(firing("30 1 * * *", "Europe/London", "2026-03-28T02:00:00Z")).toBe("2026-03-29T01:00:00.000Z");
    expect(firing("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z")).toBe("2026-11-01T05:30:00.000Z");
    expect(firing("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z")).toBe(
      "2026-10-03T15:30:00.000Z",
    );
    expect(firing("*/15 * * * *", "Australia/Lord_Howe", "2026-04-04T14:45:00Z")).toBe(
      "2026-04-04T15:00:00.000Z",
    );
    expect(["Europe/London", "europe/london", "Mars/Base", "+01:00"].map(isTimeZone)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("names the first byte that is no UTF-8", () => {
    const bytes = Uint8Array.of(0x5b, 0x22, 0xc3, 0xa9, 0xe2, 0x82, 0x22, 0x5d);
    expect(readJson(bytes).faults).toMatchObject([
      { kind: "encoding", offset: 3, message: "Byte 4 is not UTF-8." },
    ]);
    expect(readJson(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)).faults).toMatchObject([
      { kind: "syntax", offset: 0 },
    ]);
    expect(readJson("[".repeat(256 * 1024)).faults).toMatchObject([{ kind: "too_deep" }]);
  });
});
