/** Addresses of endpoints and the schedule of attempts. */
import { describe, expect, it } from "vitest";
import { endpointUrl } from "../../../src/orgs/webhooks/endpoint-url";
import { retryAfterMs, WAITS_MS, waitMs } from "../../../src/orgs/webhooks/schedule";
import { createEgress } from "../../../src/platform/egress";

describe("an endpoint", () => {
  it.each([
    ["https://hooks.example.com/in?team=1", "https://hooks.example.com/in?team=1"],
    ["HTTPS://Hooks.Example.COM:443", "https://hooks.example.com/"],
    ["https://8.8.8.8:8443/x", "https://8.8.8.8:8443/x"],
  ])("may be %s", (text, url) => {
    expect(endpointUrl(text, false)).toEqual({ url });
  });

  it.each([
    "",
    "hooks.example.com/in",
    "/in",
    "http://hooks.example.com/",
    "ftp://hooks.example.com/",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://user@hooks.example.com/",
    "https://user:pass@hooks.example.com/",
    "https://hooks.example.com/#part",
    "https://hooks.example.com/#",
    "https://localhost/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://10.0.0.8/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://3232235777/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[fd00::1]/",
    "https://intranet/",
    "https://metadata.google.internal/",
    "https://printer.local./",
    "https://１２７.0.0.1/",
    `https://hooks.example.com/${"ü".repeat(400)}`,
  ])("may not be %s", (text) => {
    expect(endpointUrl(text, false)).toMatchObject({
      message: expect.any(String),
      expected: expect.any(String),
    });
  });

  it("may be on loopback, without TLS, on a laptop only; the network around it stays closed", () => {
    for (const text of ["http://127.0.0.1:9/x", "http://localhost:9/x", "http://[::1]:9/x"]) {
      expect(endpointUrl(text, true)).toEqual({ url: text });
      expect(endpointUrl(text, false)).toHaveProperty("message");
    }
    for (const text of ["http://10.0.0.1/", "http://hooks.example.com/", "http://printer.local/"]) {
      expect(endpointUrl(text, true)).toHaveProperty("message");
    }
  });
});

describe("the schedule", () => {
  it("waits 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and then gives up", () => {
    const minutes = WAITS_MS.map((wait) => wait / 60_000);
    expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440]);
    expect(waitMs(1, 0)).toBe(5_000);
    expect(waitMs(9, 0)).toBe(86_400_000);
    expect(waitMs(10, 0)).toBeNull();
    expect(waitMs(10, 60_000)).toBeNull();
  });

  it("waits longer where it is asked to, never shorter", () => {
    expect(waitMs(1, 60_000)).toBe(60_000);
    expect(waitMs(2, 60_000)).toBe(300_000);
  });

  it.each([
    ["120", 120_000],
    [" 7 ", 7_000],
    ["0", 0],
    ["99999999", 86_400_000],
    ["Tue, 01 Jan 2030 12:01:00 GMT", 60_000],
    ["Tue, 01 Jan 2030 11:00:00 GMT", 0],
    ["Fri, 01 Jan 2100 00:00:00 GMT", 86_400_000],
    ["-5", 0],
    ["1e9", 0],
    ["soon", 0],
    [null, 0],
  ])("reads Retry-After %j as %d ms", (header, expected) => {
    expect(retryAfterMs(header, Date.UTC(2030, 0, 1, 12))).toBe(expected);
  });
});

it("a guarded fetch that returns redirects calls no second address", async () => {
  const called: string[] = [];
  const egress = createEgress(
    { allowLoopback: false, timeoutMs: 1_000, maxResponseBytes: 1_000, redirects: "return" },
    {
      fetcher: async (url) => {
        called.push(url);
        return new Response(null, { status: 307, headers: { location: "https://other.example.com/" } });
      },
    },
  );
  expect((await egress("https://hooks.example.com/")).status).toBe(307);
  expect(called).toEqual(["https://hooks.example.com/"]);
});
