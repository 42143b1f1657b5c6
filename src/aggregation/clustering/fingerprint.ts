/** What makes a cluster itself: the set of its members' ids. */
import { sha256Hex } from "../../platform/ids";

/** First 16 hex characters of SHA-256 over the comma-joined ids, ascending as numbers (trap 55). */
export async function fingerprintOf(ids: readonly number[]): Promise<string> {
  const ascending = [...new Set(ids)].sort((left, right) => left - right);
  return (await sha256Hex(ascending.join(","))).slice(0, 16);
}
