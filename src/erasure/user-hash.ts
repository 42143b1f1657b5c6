/** How the log knows a user whom nobody knows any more. */
import { sha256Hex } from "../platform/ids";

/**
 * 64 hex characters. The salt is the org's, so that one look at the log tells whether a user is in it; whoever has
 * both the log and a guess of the id can confirm the guess, and learns nothing else.
 */
export const userHash = (salt: string, orgId: string, userId: string): Promise<string> =>
  sha256Hex(JSON.stringify(["erasure", salt, orgId, userId]));
