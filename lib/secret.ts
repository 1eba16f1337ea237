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
  /** Whose number is part of the request; null when it names no card. */
  readonly card: { readonly environmentId: string; readonly given: { readonly number: string } } | null;
  /** Its text, with this in the place of the card's number. */
  write(number: string | null): string;
};

/**
 * What is derived from the service's secret. Each purpose has a key of its own, so none can stand in for another. Everything
 * that is kept names its secret, so that an older one stays readable while the service moves to a new one.
 */
export type Secret = {
  /** Id of the secret that new things are made under: eight hexadecimal digits, which reveal nothing of it. */
  readonly keyId: string;
  /** Of all secrets that can be read, in the order in which they were given. */
  readonly keyIds: readonly string[];
  /** Makes new things under another of them from now on. */
  use(keyId: string): void;
  /** Proves possession of the secret of that id: 64 hexadecimal digits. */
  verifier(keyId: string): string;
  /** Encrypt the sign-in cookies: with the first, and each of them reads. */
  readonly sessionKeys: readonly string[];
  readonly sessionKey: string;
  /** Keyed digest of a request, in which a card number is only as its fingerprint: useless for guessing what was in one. */
  requestDigest(request: ComparedRequest): Promise<Buffer>;
  /** Whether an earlier request, of which this digest was kept, was the same. Throws when its secret is not known here. */
  isSameRequest(digest: Buffer, request: ComparedRequest): Promise<boolean>;
  /** Slow, keyed fingerprint of a card's number in an environment. */
  fingerprint(environmentId: string, card: { readonly number: string }): Promise<Buffer>;
  /** Keyed digest of a text for one purpose, 32 bytes. Not for anything that can be guessed and is kept. */
  digest(purpose: string, text: string): Buffer;
  /** Message authentication code, URL-safe. */
  mac(purpose: string, text: string): string;
  isMac(purpose: string, text: string, given: string): boolean;
  /** Authenticated encryption of something that is to be read again. */
  seal(text: string): string;
  /** Throws when it was changed, or its secret is not known here. */
  unseal(sealed: string): string;
};

/** Something stored needs a secret that this process was not given. */
export class UnknownKeyError extends Error {
  override readonly name = "UnknownKeyError";
  constructor(id: string) {
    super(`this was made under the secret ${id}, which is not configured: set CARDLANE_SECRET_PREVIOUS to it`);
  }
}

const ID_BYTES = 4;
const MAC_LENGTH = 22;
/** Begins what is sealed, before the id of its secret. */
const SEALED = "s1.";

type Key = { readonly id: string; of(purpose: string): Buffer };

function createKey(value: string): Key {
  const made = new Map<string, Buffer>();
  const of = (purpose: string) => {
    const known = made.get(purpose);
    if (known) return known;
    const bytes = Buffer.from(hkdfSync("sha256", value, "cardlane", purpose, 32));
    made.set(purpose, bytes);
    return bytes;
  };
  return { id: of("key-id").subarray(0, ID_BYTES).toString("hex"), of };
}

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The secret, and earlier ones that may still be needed to read something. */
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
    fingerprints({ id: key.id, bytes: key.of("card-fingerprint") }, environmentId, card);

  async function digestUnder(key: Key, { card, write }: ComparedRequest): Promise<Buffer> {
    const number = card && (await fingerprint(key, card.environmentId, card.given)).toString("base64");
    return hmac(key.of("request-digest"), write(number));
  }

  return {
    get keyId() {
      return current.id;
    },
    keyIds: [...keys.keys()],
    use(keyId) {
      current = keyOf(keyId);
    },
    verifier: (keyId) => hmac(keyOf(keyId).of("verifier"), "cardlane").toString("hex"),
    get sessionKeys() {
      const others = [...keys.values()].filter((key) => key !== current);
      return [current, ...others].map((key) => key.of("session").toString("base64"));
    },
    get sessionKey() {
      return current.of("session").toString("base64");
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
    digest: (purpose, text) => hmac(current.of("digest"), `${purpose}\n${text}`),
    mac: (purpose, text) => current.id + macOf(current, purpose, text),
    isMac(purpose, text, given) {
      const id = given.slice(0, -MAC_LENGTH);
      const mac = Buffer.from(given.slice(-MAC_LENGTH));
      return [...keys.values()]
        .filter((key) => id === key.id)
        .map((key) => Buffer.from(macOf(key, purpose, text)))
        .some((expected) => mac.length === expected.length && timingSafeEqual(mac, expected));
    },
    seal: (text) => `${SEALED}${current.id}.${encrypt(current.of("seal"), text)}`,
    unseal(sealed) {
      if (!sealed.startsWith(SEALED)) throw new Error("this is no sealed text");
      const id = sealed.slice(SEALED.length, SEALED.length + 2 * ID_BYTES);
      return decrypt(keyOf(id).of("seal"), sealed.slice(SEALED.length + id.length + 1));
    },
  };
}

const macOf = (key: Key, purpose: string, text: string): string =>
  hmac(key.of("mac"), `${purpose}\n${text}`).toString("base64url").slice(0, MAC_LENGTH);

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
