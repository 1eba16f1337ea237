import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** What is derived from the service's one secret. Each purpose has a key of its own, so none can stand in for another. */
export type Secret = {
  /** Key for the processor's card fingerprints and token seals. */
  readonly processorKey: Buffer;
  /** Encrypts the sign-in cookies. */
  readonly sessionKey: string;
  /** Keyed digest of a request: equal for equal requests, and useless for guessing what was in one. */
  requestDigest(text: string): Buffer;
  /** Message authentication code, 22 URL-safe characters. */
  mac(purpose: string, text: string): string;
  /** Authenticated encryption of a stored answer that holds a secret. */
  seal(text: string): string;
  unseal(sealed: string): string;
};

export function createSecret(value: string): Secret {
  const key = (purpose: string) => Buffer.from(hkdfSync("sha256", value, "cardlane", purpose, 32));
  const digestKey = key("request-digest");
  const macKey = key("mac");
  const sealKey = key("seal");
  return {
    processorKey: key("processor"),
    sessionKey: key("session").toString("base64"),
    requestDigest: (text) => createHmac("sha256", digestKey).update(text).digest(),
    mac: (purpose, text) => createHmac("sha256", macKey).update(`${purpose}\n${text}`).digest("base64url").slice(0, 22),
    seal(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", sealKey, iv);
      const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), data]).toString("base64");
    },
    unseal(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", sealKey, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
  };
}

export const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
