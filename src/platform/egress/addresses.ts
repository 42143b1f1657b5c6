/**
 * Which hosts a server may never be talked into calling: loopback, private, link-local and
 * reserved networks, and the metadata services of clouds. Pure; takes what `URL.hostname` gives.
 */

/** What a host name or address literal stands for, as far as its text can tell. */
export type HostClass = "public" | "loopback" | "internal";

/** IANA special-purpose IPv4 blocks that are not globally reachable, as [address, prefix length]. */
const internalIpv4Blocks: ReadonlyArray<readonly [string, number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Zones that resolve inside a machine, a home or a cloud, metadata services included. */
const internalZones = [
  "local",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "private",
  "home.arpa",
  "onion",
];

const ipv4Pattern = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

function ipv4Number(text: string): number {
  return text.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
}

function classifyIpv4(address: number): HostClass {
  if (address >>> 24 === 127) return "loopback";
  for (const [base, prefixLength] of internalIpv4Blocks) {
    const size = 2 ** (32 - prefixLength);
    if (Math.floor(address / size) === Math.floor(ipv4Number(base) / size)) return "internal";
  }
  return "public";
}

/** The eight 16-bit groups of an IPv6 literal as `URL` serialises it, or null when it is none. */
function ipv6Groups(text: string): number[] | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const parse = (half: string): number[] =>
    half === "" ? [] : half.split(":").map((group) => Number.parseInt(group, 16));
  const head = parse(halves[0] ?? "");
  const tail = parse(halves[1] ?? "");
  const missing = 8 - head.length - tail.length;
  const groups =
    halves.length === 2 ? [...head, ...new Array<number>(Math.max(0, missing)).fill(0), ...tail] : head;
  return groups.length === 8 && groups.every((group) => group >= 0 && group <= 0xffff) ? groups : null;
}

function classifyIpv6(groups: readonly number[]): HostClass {
  const at = (index: number): number => groups[index] ?? 0;
  const embeddedIpv4 = (index: number): HostClass => classifyIpv4(at(index) * 65_536 + at(index + 1));
  const leadingZeros = groups.findIndex((group) => group !== 0);
  if (leadingZeros === -1) return "internal";
  if (leadingZeros === 7 && at(7) === 1) return "loopback";
  // IPv4 in disguise: compatible (::a.b.c.d), mapped (::ffff:…), translated (64:ff9b::…), 6to4 (2002:…).
  if (leadingZeros >= 6) return embeddedIpv4(6);
  if (leadingZeros === 5 && at(5) === 0xffff) return embeddedIpv4(6);
  if (at(0) === 0x64 && at(1) === 0xff9b) return at(2) === 0 ? embeddedIpv4(6) : "internal";
  if (at(0) === 0x2002) return embeddedIpv4(1);
  // Only 2000::/3 is global unicast; Teredo and documentation lie inside it and lead nowhere good.
  if (at(0) >>> 13 !== 1) return "internal";
  if (at(0) === 0x2001 && (at(1) === 0 || at(1) === 0xdb8)) return "internal";
  return "public";
}

/**
 * Classifies a host as it stands in `URL.hostname` (which already folds case, octal, hexadecimal and
 * short IPv4 forms). A name is judged by its text only: a public name may still resolve anywhere.
 */
export function classifyHost(hostname: string): HostClass {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host.startsWith("[") && host.endsWith("]")) {
    const groups = ipv6Groups(host.slice(1, -1));
    return groups === null ? "internal" : classifyIpv6(groups);
  }
  if (ipv4Pattern.test(host)) return classifyIpv4(ipv4Number(host));
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  if (!host.includes(".")) return "internal";
  return internalZones.some((zone) => host.endsWith(`.${zone}`)) ? "internal" : "public";
}
