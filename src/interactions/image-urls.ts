/** Which image addresses a turn may name. Pure; nothing is fetched. */

/** Hosts that hand out a cloud machine's credentials, as `URL.hostname` writes them. */
const metadataHosts = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "[fd00:ec2::254]",
  "[fd00:ec2::23]",
  "[fd20:ce::254]",
  "metadata",
  "instance-data",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
]);

/** An IPv4 address inside an IPv6 literal (mapped, compatible or NAT64), in dotted form. */
function embeddedIpv4(host: string): string | null {
  const groups = /^\[(?:::|::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  if (groups === null) return null;
  const [high, low] = [Number.parseInt(groups[1] ?? "0", 16), Number.parseInt(groups[2] ?? "0", 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** @returns what is wrong with the address, or null */
export function imageUrlFault(address: string): string | null {
  if (!URL.canParse(address)) return "is not an absolute URL";
  const { protocol, hostname } = new URL(address);
  if (protocol === "data:") return null;
  if (protocol !== "http:" && protocol !== "https:") return `has the scheme ${protocol.slice(0, 20)}`;
  const host = hostname.toLowerCase().replace(/\.+$/, "");
  const instanceData = host.startsWith("instance-data.");
  if (instanceData || metadataHosts.has(host) || metadataHosts.has(embeddedIpv4(host) ?? "")) {
    return "names a cloud metadata service";
  }
  return null;
}
