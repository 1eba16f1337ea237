import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { createFingerprints } from "./card-fingerprint";

/** A request as it is compared with an earlier one of the same idempotency key. */
export type ComparedRequest = {
  /** The card whose number is part of the request; null without a card. */
  readonly card: { readonly environmentId: string; readonly given: { readonly number: string } } | null;
  /** The request's text, with `number` in place of the card number. */
  write(number: string | null): string;
};

/**
 * Everything derived from the service's secret. Each purpose has a key of its own, so that none can replace
 * another. Stored values name their secret, so that an older one stays readable during a rotation.
 */
export type Secret = {
  /** Id of the secret that new values use: eight hexadecimal digits, which reveal nothing of it. */
  readonly keyId: string;
  /** Ids of all readable secrets, in the order in which they were given. */
  readonly keyIds: readonly string[];
  /** Uses another of the secrets for new values from now on. */
  use(keyId: string): void;
  /** Proves possession of the secret with that id: 64 hexadecimal digits. */
  verifier(keyId: string): string;
  /** Keys of the sign-in cookies: the first one encrypts, all of them decrypt. */
  readonly sessionKeys: readonly string[];
  readonly sessionKey: string;
  /**
   * Keyed digest of a request. A card number enters it only as its fingerprint, so it does not help to guess
   * the contents.
   */
  requestDigest(request: ComparedRequest): Promise<Buffer>;
  /** True if the earlier request with this digest was the same. Throws if its secret is unknown here. */
  isSameRequest(digest: Buffer, request: ComparedRequest): Promise<boolean>;
  /** Slow, keyed fingerprint of a card's number in an environment. */
  fingerprint(environmentId: string, card: { readonly number: string }): Promise<Buffer>;
  /** Keyed digest of a text for one purpose, 32 bytes. Not for stored values that can be guessed. */
  digest(purpose: string, text: string): Buffer;
  /** Message authentication code, URL-safe. */
  mac(purpose: string, text: string): string;
  isMac(purpose: string, text: string, given: string): boolean;
  /** Authenticated encryption of a value that is read again. */
  seal(text: string): string;
  /** Throws if the value was changed, or its secret is unknown here. */
  unseal(sealed: string): string;
};

/** A stored value needs a secret that this process does not have. */
export class UnknownKeyError extends Error {
  override readonly name = "UnknownKeyError";
  constructor(id: string) {
    super(`this was made under the secret ${id}, which is not configured: set CARDLANE_SECRET_PREVIOUS to it`);
  }
}

const ID_BYTES = 4;
const MAC_LENGTH = 22;
/** Prefix of sealed values, before the id of their secret. */
const SEALED = "s1.";

type Key = { readonly id: string; derive(purpose: string): Buffer };

function createKey(value: string): Key {
  const derived = new Map<string, Buffer>();
  const derive = (purpose: string) => {
    const known = derived.get(purpose);
    if (known) return known;
    const bytes = Buffer.from(hkdfSync("sha256", value, "cardlane", purpose, 32));
    derived.set(purpose, bytes);
    return bytes;
  };
  return { id: derive("key-id").subarray(0, ID_BYTES).toString("hex"), derive: derive };
}

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The secret, and earlier ones that may still be needed for reading. */
export function createSecret(value: string, previous: readonly string[] = []): Secret {
  const keys = new Map<string, Key>();
  for (const key of [value, ...previous].map(createKey)) keys.set(key.id, key);
  let current = [...keys.values()][0] as Key;
  const keyOf = (id: string): Key => {
    const key = keys.get(id);
    if (!key) throw new UnknownKeyError(id);
    return key;
  };
  const fingerprints = createFingerprints();
  const fingerprint = (key: Key, environmentId: string, card: { readonly number: string }) =>
    fingerprints({ id: key.id, bytes: key.derive("card-fingerprint") }, environmentId, card);

  async function digestUnder(key: Key, { card, write }: ComparedRequest): Promise<Buffer> {
    const number = card && (await fingerprint(key, card.environmentId, card.given)).toString("base64");
    return hmac(key.derive("request-digest"), write(number));
  }

  return {
    get keyId() {
      return current.id;
    },
    keyIds: [...keys.keys()],
    use(keyId) {
      current = keyOf(keyId);
    },
    verifier: (keyId) => hmac(keyOf(keyId).derive("verifier"), "cardlane").toString("hex"),
    get sessionKeys() {
      const others = [...keys.values()].filter((key) => key !== current);
      return [current, ...others].map((key) => key.derive("session").toString("base64"));
    },
    get sessionKey() {
      return current.derive("session").toString("base64");
    },
    async requestDigest(request) {
      const key = current;
      return Buffer.concat([Buffer.from(key.id, "hex"), await digestUnder(key, request)]);
    },
    async isSameRequest(digest, request) {
      const expected = await digestUnder(keyOf(digest.subarray(0, ID_BYTES).toString("hex")), request);
      const given = digest.subarray(ID_BYTES);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    fingerprint: (environmentId, card) => fingerprint(current, environmentId, card),
    digest: (purpose, text) => hmac(current.derive("digest"), `${purpose}\n${text}`),
    mac: (purpose, text) => current.id + macOf(current, purpose, text),
    isMac(purpose, text, given) {
      const id = given.slice(0, -MAC_LENGTH);
      const mac = Buffer.from(given.slice(-MAC_LENGTH));
      return [...keys.values()]
        .filter((key) => id === key.id)
        .map((key) => Buffer.from(macOf(key, purpose, text)))
        .some((expected) => mac.length === expected.length && timingSafeEqual(mac, expected));
    },
    seal: (text) => `${SEALED}${current.id}.${encrypt(current.derive("seal"), text)}`,
    unseal(sealed) {
      if (!sealed.startsWith(SEALED)) throw new Error("this is no sealed text");
      const id = sealed.slice(SEALED.length, SEALED.length + 2 * ID_BYTES);
      return decrypt(keyOf(id).derive("seal"), sealed.slice(SEALED.length + id.length + 1));
    },
  };
}

const macOf = (key: Key, purpose: string, text: string): string =>
  hmac(key.derive("mac"), `${purpose}\n${text}`).toString("base64url").slice(0, MAC_LENGTH);

function encrypt(key: Buffer, text: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), data]).toString("base64url");
}

function decrypt(key: Buffer, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
}

export const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
