import { createHmac, createPublicKey, verify } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { newSigningKeys, signedHeaders } from "./signature";

const message = (body = '{"type":"payment.captured"}') => ({
  id: "evt_01jd4c8p8geq1snd8a5v7a8z2m",
  timestampSeconds: Math.floor(Date.now() / 1_000),
  body,
});

/** The 12 bytes that precede a raw Ed25519 key in its DER encoding. */
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

function isV1a(headers: Record<string, string>, body: string, publicKey: string): boolean {
  const key = createPublicKey({
    key: Buffer.concat([SPKI, Buffer.from(publicKey.replace("whpk_", ""), "base64")]),
    format: "der",
    type: "spki",
  } as const);
  const content = Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`);
  return (headers["webhook-signature"] ?? "")
    .split(" ")
    .filter((signature) => signature.startsWith("v1a,"))
    .some((signature) => verify(null, content, key, Buffer.from(signature.slice(4), "base64")));
}

test("the standardwebhooks package verifies a signed message, and rejects a changed one", () => {
  const keys = newSigningKeys();
  expect(keys.secret).toMatch(/^whsec_/);
  expect(Buffer.from(keys.secret.slice(6), "base64")).toHaveLength(32);
  const sent = message('{"name":"Zoë — 東京"}');
  const headers = signedHeaders(sent, [keys], "v1");
  expect(new Webhook(keys.secret).verify(sent.body, headers)).toEqual(JSON.parse(sent.body));
  expect(() => new Webhook(keys.secret).verify(`${sent.body} `, headers)).toThrow(/signature/);
  expect(() => new Webhook(newSigningKeys().secret).verify(sent.body, headers)).toThrow(/signature/);
  expect(() => new Webhook(keys.secret).verify(sent.body, { ...headers, "webhook-id": "evt_other" })).toThrow(
    /signature/,
  );
});

test("the signature is node:crypto's HMAC of id, time and body", () => {
  const keys = newSigningKeys();
  const sent = message();
  const headers = signedHeaders(sent, [keys], "v1");
  const own = createHmac("sha256", Buffer.from(keys.secret.slice(6), "base64"))
    .update(`${sent.id}.${sent.timestampSeconds}.${sent.body}`)
    .digest("base64");
  expect(headers).toEqual({
    "webhook-id": sent.id,
    "webhook-timestamp": String(sent.timestampSeconds),
    "webhook-signature": `v1,${own}`,
  });
});

test("v1a is an Ed25519 signature by a key that is independent of the shared secret", () => {
  const [keys, others] = [newSigningKeys(), newSigningKeys()];
  const sent = message();
  const headers = signedHeaders(sent, [keys], "v1+v1a");
  expect(headers["webhook-signature"].split(" ").map((part) => part.split(",")[0])).toEqual(["v1", "v1a"]);
  expect(isV1a(headers, sent.body, keys.publicKey)).toBe(true);
  expect(isV1a(headers, `${sent.body} `, keys.publicKey)).toBe(false);
  expect(isV1a(headers, sent.body, others.publicKey)).toBe(false);
  expect(new Webhook(keys.secret).verify(sent.body, headers)).toEqual(JSON.parse(sent.body));
});

test("while secrets overlap, each of them verifies", () => {
  const [newest, earlier] = [newSigningKeys(), newSigningKeys()];
  const sent = message();
  const headers = signedHeaders(sent, [newest, earlier], "v1+v1a");
  expect(headers["webhook-signature"].split(" ")).toHaveLength(4);
  for (const { secret, publicKey } of [newest, earlier]) {
    expect(new Webhook(secret).verify(sent.body, headers)).toEqual(JSON.parse(sent.body));
    expect(isV1a(headers, sent.body, publicKey)).toBe(true);
  }
});
