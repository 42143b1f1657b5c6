/**
 * Secrets at rest: AES-256-GCM under a key of the deployment, bound to the org and the name they were sealed
 * for. A text that was moved to another org or name, or changed by one bit, does not open.
 */
import { fromBase64, toBase64 } from "./base64";

/** One key of the deployment. */
export interface SecretKey {
  /** Stands in every sealed text, so that a key can be replaced while old texts still open. */
  kid: string;
  /** 32 bytes in base64. */
  key: string;
}

export interface Secrets {
  /** @returns a text for the database; sealing the same secret again gives another text */
  seal(orgId: string, name: string, plaintext: string): Promise<string>;
  /** @throws SecretError */
  open(orgId: string, name: string, sealed: string): Promise<string>;
}

export type SecretFault =
  /** Not what `seal` returns. */
  | "malformed"
  /** Sealed under a key that is no longer, or not yet, in SECRETS_KEYS. */
  | "unknown_key"
  /** Changed, or sealed for another org or name, or under another key of the same id. */
  | "not_authentic";

/** A sealed text that does not open. Its message holds nothing of the secret. */
export class SecretError extends Error {
  override readonly name = "SecretError";
  constructor(
    readonly fault: SecretFault,
    message: string,
  ) {
    super(message);
  }
}

/** NIST SP 800-38D §8.2.2: 96 random bits, for fewer than 2^32 secrets a key. */
const NONCE_BYTES = 12;
const FORMAT = /^v1\.([A-Za-z][\w-]*)\.([A-Za-z0-9+/]{16})\.([A-Za-z0-9+/]+={0,2})$/;

const encoder = new TextEncoder();

const algorithm = (nonce: BufferSource, orgId: string, name: string) => ({
  name: "AES-GCM",
  iv: nonce,
  additionalData: encoder.encode(JSON.stringify([orgId, name])),
});

const imported = (key: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", fromBase64(key), "AES-GCM", false, ["encrypt", "decrypt"]);

/**
 * @param keys the first one seals, all of them open
 * @param randomBytes gives the nonces
 */
export function createSecrets(
  keys: readonly [SecretKey, ...SecretKey[]],
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>,
): Secrets {
  return {
    async seal(orgId, name, plaintext) {
      const [{ kid, key }] = keys;
      const nonce = randomBytes(NONCE_BYTES);
      const sealed = await crypto.subtle.encrypt(
        algorithm(nonce, orgId, name),
        await imported(key),
        encoder.encode(plaintext),
      );
      return `v1.${kid}.${toBase64(nonce)}.${toBase64(new Uint8Array(sealed))}`;
    },
    async open(orgId, name, sealed) {
      const [, kid, nonce, ciphertext] = FORMAT.exec(sealed) ?? [];
      if (kid === undefined || nonce === undefined || ciphertext === undefined) {
        throw new SecretError("malformed", "This is no sealed secret.");
      }
      const known = keys.find((each) => each.kid === kid);
      if (known === undefined) {
        throw new SecretError("unknown_key", `SECRETS_KEYS has no key "${kid}", which sealed this secret.`);
      }
      const key = await imported(known.key);
      try {
        const opened = await crypto.subtle.decrypt(
          algorithm(fromBase64(nonce), orgId, name),
          key,
          fromBase64(ciphertext),
        );
        return new TextDecoder().decode(opened);
      } catch {
        throw new SecretError(
          "not_authentic",
          "A sealed secret does not open: it was changed, or sealed for something else.",
        );
      }
    },
  };
}
