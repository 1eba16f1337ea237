import { createHmac, createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** The signing keys of one endpoint secret: one shared with the merchant, and one that only we have. */
export type SigningKeys = {
  /** `whsec_…`: 32 bytes in base64, which the merchant has too. */
  readonly secret: string;
  /** PKCS #8 in base64. Not derived from the secret, because then the merchant could sign too. */
  readonly privateKey: string;
};

const SECRET = "whsec_";
const PUBLIC_KEY = "whpk_";
const RAW_KEY_BYTES = 32;

export function newSigningKeys(): SigningKeys & { readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const spki = publicKey.export({ format: "der", type: "spki" });
  return {
    secret: SECRET + randomBytes(32).toString("base64"),
    privateKey: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    publicKey: PUBLIC_KEY + spki.subarray(-RAW_KEY_BYTES).toString("base64"),
  };
}

/**
 * The headers of a message as defined by Standard Webhooks. `keys`: newest first; each one signs.
 * `timestampSeconds`: the time of this attempt, because receivers refuse old timestamps.
 */
export function signedHeaders(
  message: { readonly id: string; readonly timestampSeconds: number; readonly body: string },
  keys: readonly SigningKeys[],
  kinds: "v1" | "v1+v1a",
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const { id, timestampSeconds, body } = message;
  const content = Buffer.from(`${id}.${timestampSeconds}.${body}`);
  const signatures = keys.flatMap(({ secret, privateKey }) => {
    const shared = createHmac("sha256", Buffer.from(secret.slice(SECRET.length), "base64")).update(content);
    const v1 = `v1,${shared.digest("base64")}`;
    if (kinds === "v1") return [v1];
    const key = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
    return [v1, `v1a,${sign(null, content, key).toString("base64")}`];
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signatures.join(" "),
  };
}
