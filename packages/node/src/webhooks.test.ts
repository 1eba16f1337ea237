import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EVENTS } from "@/lib/contract/events/event";
import { newSigningKeys, signedHeaders } from "@/lib/webhooks/signature";
import { Cardlane, WebhookVerificationError } from "./index.ts";

const { verify, verifyThin } = Cardlane.webhooks;
const nowSeconds = () => Math.floor(Date.now() / 1_000);
const event = {
  id: "evt_01jd4c8p8geq1snd8a5v7a8z2m",
  object: "event",
  type: "payment.captured",
  api_version: "v1",
  environment: "sandbox",
  sequence: 1,
  created_at: "2026-11-20T09:30:00.016Z",
  data: EVENTS["payment.captured"].example,
};
const body = JSON.stringify({ ...event, note: "Zoë — 東京" });
const thin = JSON.stringify({
  type: "payment.captured",
  timestamp: event.created_at,
  data: { id: event.data.object.id, object: "payment", environment: "sandbox", sequence: 1 },
});
const message = (text = body, timestampSeconds = nowSeconds()) => ({ id: event.id, timestampSeconds, body: text });

test("the service's signature verifies, by the secret and by the public key, and nothing modified does", () => {
  const keys = newSigningKeys();
  const headers = signedHeaders(message(), [keys], "v1+v1a");
  for (const key of [keys.secret, keys.publicKey]) {
    const verified = verify(body, headers, key);
    expect(verified).toMatchObject({ ...event });
    if (verified.type === "payment.captured") expect(verified.data.object.amount_captured).toBe(4999);
    expect(verify(Buffer.from(body), new Headers(headers), key).id).toBe(event.id);
    expect(() => verify(`${body} `, headers, key)).toThrow(WebhookVerificationError);
    expect(() => verify(body, { ...headers, "webhook-id": "evt_other" }, key)).toThrow(WebhookVerificationError);
  }
  const others = newSigningKeys();
  for (const key of [others.secret, others.publicKey]) {
    expect(() => verify(body, headers, key)).toThrow("No signature");
  }
});

test("a signature of the standardwebhooks package verifies", () => {
  const { secret } = newSigningKeys();
  const signature = new Webhook(secret).sign(event.id, new Date(), body);
  const headers = { "Webhook-Id": event.id, "Webhook-Timestamp": String(nowSeconds()), "Webhook-Signature": signature };
  expect(verify(body, headers, secret).type).toBe("payment.captured");
});

test("while secrets overlap, each of them and both together verify, in any position", () => {
  const [newest, earlier] = [newSigningKeys(), newSigningKeys()];
  const headers = signedHeaders(message(), [newest, earlier], "v1+v1a");
  for (const keys of [newest.secret, earlier.secret, earlier.publicKey, [newSigningKeys().secret, earlier.secret]]) {
    expect(verify(body, headers, keys).id).toBe(event.id);
  }
});

test("a message of another time is refused, unless the tolerance is wider", () => {
  const keys = newSigningKeys();
  for (const shift of [-400, 400]) {
    const headers = signedHeaders(message(body, nowSeconds() + shift), [keys], "v1");
    expect(() => verify(body, headers, keys.secret)).toThrow("more than 300 seconds off");
    expect(verify(body, headers, keys.secret, { toleranceSeconds: 500 }).id).toBe(event.id);
    // The value of a missing setting, which must not disable the check.
    expect(() => verify(body, headers, keys.secret, { toleranceSeconds: Number.NaN })).toThrow("seconds off");
  }
});

test("a signature of another kind, broken, or missing does not verify", () => {
  const keys = newSigningKeys();
  const headers = signedHeaders(message(), [keys], "v1+v1a");
  const signatures = headers["webhook-signature"];
  const [v1 = "", v1a = ""] = signatures.split(" ");
  for (const broken of [v1.replace("v1,", "v1a,"), v1a.replace("v1a,", "v1,"), "v1,", "v1,AAAA", "v2,AAAA", ","]) {
    for (const key of [keys.secret, keys.publicKey]) {
      expect(() => verify(body, { ...headers, "webhook-signature": broken }, key), broken).toThrow("No signature");
    }
  }
  expect(() => verify(body, { ...headers, "webhook-timestamp": "soon" }, keys.secret)).toThrow(
    WebhookVerificationError,
  );
  expect(() => verify(body, {}, keys.secret)).toThrow("no webhook-id header");
  expect(() => verify(body, headers, "")).toThrow(TypeError);
});

describe("a mistake of the receiver is named", () => {
  const keys = newSigningKeys();
  const headers = signedHeaders(message(), [keys], "v1");
  const both = signedHeaders(message(), [keys], "v1+v1a");
  const ofPrivateKey = { ...both, "webhook-signature": both["webhook-signature"].split(" ")[1] };
  const refusal = (given: unknown, secret: unknown, of: object = headers) => {
    try {
      verify(given as string, of as Record<string, string>, secret as string);
    } catch (error) {
      return error as Error;
    }
    throw new Error("it was verified");
  };

  test.each([
    ["a parsed body", JSON.parse(body), "The body was parsed already"],
    ["no body", undefined, "The body is undefined"],
    ["a body that is still to come", Promise.resolve(body), "await it first"],
  ])("%s", (_, given, sentence) => {
    expect(refusal(given, keys.secret)).toBeInstanceOf(TypeError);
    expect(refusal(given, keys.secret).message).toContain(sentence);
  });

  test.each([
    [undefined, "The secret is undefined"],
    [null, "The secret is null"],
    [" ", "The secret is empty"],
    [[], "There is no secret"],
    [[keys.secret, undefined], "The secret is undefined"],
    [`v1,${keys.secret}`, "something before whsec_"],
    ["we_01m8czn68df4tbr4ywh84g1hnq", "That is the endpoint's id"],
    ["sk_test_abcdefgh", "That is an API key"],
    [keys.secret.slice(0, 20), "The secret isn't whole"],
    [keys.publicKey.slice(0, 20), "The secret isn't whole"],
    ["whsec_…", "characters that no secret has"],
  ])("the secret %j", (secret, sentence) => {
    expect(refusal(body, secret)).toBeInstanceOf(TypeError);
    expect(refusal(body, secret).message).toContain(sentence);
  });

  test.each([`${keys.secret}\n`, `"${keys.secret}"`, ` ${keys.secret}`, keys.secret.slice("whsec_".length)])(
    "blanks and quotes around a secret do not count: %j",
    (secret) => {
      expect(verify(body, headers, secret).id).toBe(event.id);
    },
  );

  test.each([
    ["an earlier secret", body, newSigningKeys().secret, headers, "from before its last rotation"],
    ["a reserialized body", JSON.stringify(JSON.parse(body), null, 2), keys.secret, headers, "changed on its way"],
    ["a body with a trailing line break", `${body}\n`, keys.secret, headers, "changed on its way"],
    ["a changed body", body.replace("東京", "??"), keys.secret, headers, "If you parsed the body, pass the raw one"],
    ["half a body", body.slice(0, -9), keys.secret, headers, "Pass the raw body"],
    ["the public key", body, keys.publicKey, headers, "pass whsec_… and not the public key"],
    ["the secret", body, keys.secret, ofPrivateKey, "pass its public key"],
    ["no signature", body, keys.secret, { ...headers, "webhook-signature": "x" }, "holds no signature"],
  ])("%s", (_, given, secret, of, sentence) => {
    expect(refusal(given, secret, of)).toBeInstanceOf(WebhookVerificationError);
    expect(refusal(given, secret, of).message).toContain(sentence);
  });

  test.each([
    [-400, "400 seconds ago"],
    [3_600, "3600 seconds from now"],
  ])("a clock that is off by %i seconds, by how much", (shift, sentence) => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const off = signedHeaders(message(body, nowSeconds() + shift), [keys], "v1");
    expect(refusal(body, keys.secret, off).message).toContain(sentence);
  });
});

test("thin messages have their own function, and each refuses the other's", () => {
  const keys = newSigningKeys();
  const ofThin = signedHeaders(message(thin), [keys], "v1");
  expect(verifyThin(thin, ofThin, keys.secret).data).toEqual(JSON.parse(thin).data);
  expect(() => verify(thin, ofThin, keys.secret)).toThrow("verifyThin");
  expect(() => verifyThin(body, signedHeaders(message(), [keys], "v1"), keys.secret)).toThrow("Use verify");
});
