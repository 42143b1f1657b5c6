import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyHost } from "../../../src/platform/egress/addresses";

/** As the guarded fetch sees it: through `URL`, which folds the many spellings of an address. */
const classOf = (host: string): string => classifyHost(new URL(`http://${host}/`).hostname);

describe("hosts", () => {
  it.each([
    "127.0.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "localhost",
    "LOCALHOST.",
    "api.localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
  ])("%s is loopback", (host) => {
    expect(classOf(host)).toBe("loopback");
  });

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::1]",
    "[2002:a00:1::]",
    "[2001::1]",
    "[2001:db8::1]",
    "metadata.google.internal",
    "metadata",
    "printer.local",
    "router.lan",
    "service.namespace.svc.cluster.local",
    "x.home.arpa",
  ])("%s is internal", (host) => {
    expect(classOf(host)).toBe("internal");
  });

  it.each([
    "api.example.com",
    "8.8.8.8",
    "172.32.0.1",
    "100.128.0.1",
    "[2606:4700::1111]",
    "[::ffff:8.8.8.8]",
    "local.example.com",
  ])("%s is public", (host) => {
    expect(classOf(host)).toBe("public");
  });

  it("says the same of an IPv4 address in every spelling", () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), (address) => {
        const octets = [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255];
        const dotted = octets.join(".");
        const expected = classOf(dotted);
        expect(classOf(String(address >>> 0))).toBe(expected);
        expect(classOf(octets.map((octet) => `0${octet.toString(8)}`).join("."))).toBe(expected);
        if (address > 0xffff) expect(classOf(`[::ffff:${dotted}]`)).toBe(expected);
      }),
    );
  });

  it("calls no unique-local, link-local or multicast IPv6 address public", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(
          new URL(`http://[${address}]/`).hostname.slice(1).split(":")[0] || "0",
          16,
        );
        if (first >= 0xfc00) expect(classOf(`[${address}]`)).not.toBe("public");
      }),
    );
  });
});
