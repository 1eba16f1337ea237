import { randomInt } from "node:crypto";
import { createPayment, getPayment, listPayments } from "@/lib/contract/payments/endpoints";
import { newKeySecret } from "@/lib/domain/api-keys/issue-keys";
import { type Answer, Api } from "../client";
import { expect } from "../fixtures/playwright";
import { type OpenedSession, formTest as test } from "../payment-form";
import { aCard, aPayment, CARDS } from "../samples";

const POLICY = '"default";q=10;w=2';
const LIMIT = /^"default";r=(\d+);t=(\d+)$/;
const remaining = (answer: Answer) => Number(LIMIT.exec(answer.headers.get("ratelimit") ?? "")?.[1] ?? "-1");
const list = (api: Api) => api.call(listPayments, { query: { limit: 1 } });

/** Several times the burst, all concurrent. */
const flood = (api: Api) => Promise.all(Array.from({ length: 80 }, () => list(api)));

test("every response has the limit and what is left", async ({ api }) => {
  const answer = await list(api);
  expect(answer.headers.get("ratelimit-policy")).toBe(POLICY);
  expect(answer.headers.get("ratelimit")).toMatch(LIMIT);
  expect(remaining(answer)).toBe(9);
});

test("the burst passes, the rest is 429 with Retry-After; other keys are not affected", async ({ tenant, api }) => {
  const answers = await flood(api);
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(10);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    answer.problem("rate_limited");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(remaining(answer)).toBe(0);
    expect(answer.headers.get("ratelimit-policy")).toBe(POLICY);
  }
  const other = await tenant.newKey();
  expect((await list(other.api)).status).toBe(200);
});

test("the limit is checked after the permission, before the idempotency key and the body, and stores nothing", async ({
  tenant,
  api,
}) => {
  const reader = await tenant.newKey({ permissions: ["payment.read"] });
  await Promise.all([flood(api), flood(reader.api)]);
  const refusals = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      api.call(createPayment, { key: i % 2 ? null : "limited", body: { ammount: 1 } }),
    ),
  );
  expect(refusals.some(({ status }) => status === 429)).toBe(true);
  (await reader.api.call(createPayment, { key: null })).problem("permission_denied");
  const buy = async () => (await api.call(createPayment, { key: "limited", body: aPayment() })).status;
  await expect.poll(buy, { timeout: 60_000, intervals: [500] }).toBe(201);
});

test("a bucket refills at the limit's rate: never more than the burst plus the refill", async ({ api }) => {
  const started = Date.now();
  let passed = 0;
  for (let round = 0; round < 3; round++) {
    passed += (await flood(api)).filter(({ status }) => status === 200).length;
    const left = async () => {
      const answer = await api.call(getPayment, { id: "pay_x" });
      if (answer.status !== 429) passed++;
      return remaining(answer);
    };
    await expect.poll(left, { timeout: 60_000, intervals: [700] }).toBeGreaterThan(1);
  }
  const seconds = (Date.now() - started) / 1000;
  expect(passed).toBeLessThanOrEqual(10 + 5 * seconds + 1);
});

test("all keys of a merchant's test mode have a limit together; its live mode and other merchants keep theirs", async ({
  tenant,
  stranger,
}) => {
  const keys = await Promise.all(Array.from({ length: 6 }, () => tenant.newKey()));
  const answers = (
    await Promise.all(keys.map(({ api }) => Promise.all(Array.from({ length: 9 }, () => list(api)))))
  ).flat();
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(10);
  for (const answer of refused) {
    answer.problem("rate_limited");
    expect(answer.headers.get("ratelimit-policy")).toBe('"merchant";q=25;w=3');
    expect(answer.headers.get("ratelimit")).toMatch(/^"merchant";r=0;t=\d+$/);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  }
  expect((await list(tenant.live)).status).toBe(200);
  expect((await list(stranger.api)).status).toBe(200);
});

test("an address that keeps failing with keys must wait; other addresses and valid keys need not", async ({
  baseUrl,
  tenant,
}) => {
  const from = (api: Api, address: string) =>
    api.raw({ method: "GET", path: "/v1/payments", headers: { "X-Forwarded-For": address } });
  const good = await tenant.newKey();
  const fresh = await tenant.newKey();
  const wrong = () => new Api(baseUrl, newKeySecret("test"));
  const guessing = "198.51.100.7";
  expect((await from(good.api, guessing)).status).toBe(200);
  for (let i = 0; i < 6; i++)
    (await from(i % 2 ? wrong() : new Api(baseUrl, null), guessing)).problem(
      i % 2 ? "api_key_invalid" : "api_key_missing",
    );
  for (const address of [guessing, `${guessing}:50123`, `[::ffff:${guessing}]:443`]) {
    const answer = await from(wrong(), address);
    answer.problem("rate_limited");
    expect(answer.headers.get("ratelimit-policy")).toBe('"unauthorized";q=6;w=60');
    expect(answer.headers.get("ratelimit")).toMatch(/^"unauthorized";r=0;t=\d+$/);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  }
  (await from(fresh.api, guessing)).problem("rate_limited");
  expect((await from(good.api, guessing)).status).toBe(200);
  (await from(wrong(), "198.51.100.8")).problem("api_key_invalid");
  expect((await from(fresh.api, "198.51.100.8")).status).toBe(200);
  expect((await from(fresh.api, guessing)).status).toBe(200);
});

/** Declines allowed per minute and address, also the burst; per card issuer and merchant, twice as many. */
const DECLINES = 6;
const OTHER_ISSUERS = ["4539578763621486", "5105105105105100"];

const address = () => `198.51.${randomInt(256)}.${randomInt(256)}`;
const pay = ({ form }: OpenedSession, number: string, from: string, attempt?: string) =>
  form.attempt(
    { card: aCard(number) },
    { headers: { "Sec-Fetch-Site": "same-origin", "X-Forwarded-For": from }, ...(attempt && { attempt }) },
  );

test("an address whose cards are declined again and again must wait: 429, which uses no attempt and charges nothing", async ({
  open,
}) => {
  // One IPv6 subscriber has a whole block of addresses.
  const block = `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}`;
  const sessions = await Promise.all([open(), open()]);
  const declined = [];
  for (let decline = 0; decline < DECLINES; decline++) {
    const number = OTHER_ISSUERS[decline % 2] as string;
    const answer = await pay(sessions[decline % 2] as OpenedSession, number, `${block}::${decline + 1}`, `a${decline}`);
    declined.push(answer.taken().state.failure);
  }
  expect(declined).toEqual(Array(DECLINES).fill("card_declined"));
  const fresh = await open();
  const refused = await pay(fresh, CARDS.approved, `${block}::ffff`);
  refused.refused("rate_limited");
  const retryAfter = Number(refused.headers.get("retry-after"));
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(60 / DECLINES);
  expect(await fresh.form.state()).toMatchObject({ status: "OPEN", attempts_left: 5, payment: null, failure: null });
  // A retry of a known attempt still returns its result.
  const again = await pay(sessions[1], OTHER_ISSUERS[1] as string, `${block}::1`, "a5");
  expect(again.taken().state.failure).toBe("card_declined");
  expect((await pay(fresh, CARDS.approved, address())).taken().state.status).toBe("COMPLETED");
});

test("while an issuer's cards are being tested with a merchant, they get no second try, from anywhere; a first one passes", async ({
  newTenant,
  open,
}) => {
  const sessions = await Promise.all([open(), open(), open()]);
  // Concurrent, because one more is allowed every five seconds.
  for (let round = 0; round < (2 * DECLINES) / sessions.length; round++) {
    const answers = await Promise.all(sessions.map((session) => pay(session, CARDS.declined, address())));
    for (const answer of answers) expect(answer.taken().state.failure).toBe("card_declined");
  }
  const [used] = sessions;
  (await pay(used, CARDS.declined, address())).refused("rate_limited");
  expect(await used.form.state()).toMatchObject({ status: "OPEN", attempts_left: 1 });
  expect((await pay(await open(), CARDS.challenge, address())).taken().state.status).toBe("REQUIRES_ACTION");
  const elsewhere = await open({}, (await newTenant()).api);
  expect((await pay(elsewhere, CARDS.declined, address())).taken().state.failure).toBe("card_declined");
  expect((await pay(elsewhere, CARDS.declined, address())).taken().state.failure).toBe("card_declined");
  expect((await pay(used, CARDS.approved, address())).taken().state.status).toBe("COMPLETED");
});
