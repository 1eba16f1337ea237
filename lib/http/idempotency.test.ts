import { describe, expect, test } from "vitest";
import { submitDispute } from "@/lib/contract/disputes/endpoints";
import { createPayment, listPayments } from "@/lib/contract/payments/endpoints";
import { createPlan } from "@/lib/contract/plans/endpoints";
import { newId } from "@/lib/ids";
import { createSecret, type Secret } from "@/lib/secret";
import { idempotencyOf, readIdempotencyKey } from "./idempotency";

const secret = createSecret("a secret of thirty-two characters");
const environmentId = newId();
type Sent = { by?: Secret; method?: string; in?: string };
const keyed = (path: string, body: unknown, { by = secret, method = "POST", in: env = environmentId }: Sent = {}) =>
  idempotencyOf(by, "k", { environmentId: env, method, path, body });
const digest = async (path: string, body: unknown, sent: Sent = {}) =>
  (await keyed(path, body, sent).digest()).toString("hex");
const withKey = (key: string | null) =>
  new Request("http://localhost/", { headers: key === null ? {} : { "X-Idempotency-Key": key } });

describe("the same parameters", () => {
  test("have the same digest whatever the order of their members, at every level", async () => {
    expect(await digest("/v1/payments", { amount: 1, metadata: { a: 1, b: { c: 2, d: 3 } } })).toBe(
      await digest("/v1/payments", { metadata: { b: { d: 3, c: 2 }, a: 1 }, amount: 1 }),
    );
  });

  test("on another path, by another method or with another value have another", async () => {
    const digests = [
      await digest("/v1/payments", { amount: 1 }),
      await digest("/v1/payments", { amount: 2 }),
      await digest("/v1/payments", { amount: "1" }),
      await digest("/v1/payments/x/refund", { amount: 1 }),
      await digest("/v1/payments", { amount: 1 }, { method: "PATCH" }),
      await digest("/v1/payments", { amount: 1 }, { by: createSecret("another secret of thirty-two chars") }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe("a card in a request", () => {
  const withCard = (number: string, cvv = "123") => ({
    amount: 1,
    card: { number, exp_month: 12, exp_year: 2099, cvv },
  });
  const UNKNOWN = "4012888888881881";

  test("includes its number and never its CVV, of which nothing may be stored", async () => {
    expect(await digest("/p", withCard(UNKNOWN, "999"))).toBe(await digest("/p", withCard(UNKNOWN)));
    expect(await digest("/p", withCard("4111111111111111"))).not.toBe(await digest("/p", withCard(UNKNOWN)));
    const kept = await keyed("/p", withCard(UNKNOWN)).digest();
    expect(await keyed("/p", withCard(UNKNOWN, "9")).isSame(kept)).toBe(true);
    // Both numbers have the same BIN and last 4 and differ only in between.
    expect(await keyed("/p", withCard("4012880888888881881")).isSame(kept)).toBe(false);
  });

  test("has another digest in another environment", async () => {
    expect(await digest("/p", withCard(UNKNOWN), { in: newId() })).not.toBe(await digest("/p", withCard(UNKNOWN)));
  });

  test("costs far more for each number that is tried as for the sandbox's own", async () => {
    const costOf = async (number: string) => {
      const before = process.cpuUsage();
      for (let i = 0; i < 20; i++) await keyed("/p", withCard(number)).digest();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 20_000;
    };
    await digest("/p", withCard("4242424242424242"));
    const costs: number[] = [];
    for (let i = 0; i < 5; i++) costs.push(await costOf("4242424242424242"));
    // The minimum excludes other work of the process, such as garbage collection.
    const own = Math.min(...costs);
    // A ratio, because the CPU's speed is unknown. Both costs are in milliseconds.
    expect(await costOf(UNKNOWN)).toBeGreaterThan(15 * own);
    expect(own).toBeLessThan(1);
  });
});

describe("after a change of the secret", () => {
  const after = createSecret("another secret of thirty-two chars", ["a secret of thirty-two characters"]);
  const body = { amount: 1, card: { number: "4012888888881881", cvv: "1" } };

  test("a request is recognized by what was stored under the old secret", async () => {
    const kept = await keyed("/p", body).digest();
    expect(await keyed("/p", body, { by: after }).isSame(kept)).toBe(true);
    expect(await keyed("/p", { ...body, amount: 2 }, { by: after }).isSame(kept)).toBe(false);
  });

  test("without the old secret there is no decision", async () => {
    const kept = await keyed("/p", body).digest();
    const alone = createSecret("another secret of thirty-two chars");
    await expect(keyed("/p", body, { by: alone }).isSame(kept)).rejects.toThrow(/CARDLANE_SECRET_PREVIOUS/);
  });
});

describe("the header", () => {
  test("is required where money moves, optional where objects are created, and ignored elsewhere", () => {
    expect(() => readIdempotencyKey(withKey(null), createPayment)).toThrow(
      expect.objectContaining({ code: "idempotency_key_missing" }),
    );
    expect(readIdempotencyKey(withKey(null), createPlan)).toBeNull();
    const made = [1, 2].map(() => readIdempotencyKey(withKey(null), submitDispute));
    expect(new Set(made).size, "a key of its own for each request without one").toBe(2);
    expect(readIdempotencyKey(withKey("mine"), submitDispute)).toBe("mine");
    expect(readIdempotencyKey(withKey("x".repeat(300)), listPayments)).toBeNull();
  });

  test.each([createPayment, createPlan])("of $name has 1 to 255 characters", (endpoint) => {
    expect(readIdempotencyKey(withKey("x".repeat(255)), endpoint)).toHaveLength(255);
    for (const key of ["", "x".repeat(256)]) {
      expect(() => readIdempotencyKey(withKey(key), endpoint)).toThrow(
        expect.objectContaining({ code: "idempotency_key_invalid" }),
      );
    }
  });
});

test("a key reserved for attempts on invoices is refused", () => {
  const key = "inv_01kae1wbt0fmathdwkwq0xfwg4:attempt_2";
  expect(() => readIdempotencyKey(withKey(key), createPayment)).toThrow(
    expect.objectContaining({ code: "idempotency_key_invalid" }),
  );
});

describe("a key", () => {
  const keyOf = (headers: Record<string, string>) =>
    readIdempotencyKey(new Request("http://localhost/", { headers }), createPayment);

  test("can have either header name, or both with one value", () => {
    expect(keyOf({ "Idempotency-Key": "k" })).toBe("k");
    expect(keyOf({ "Idempotency-Key": "k", "X-Idempotency-Key": "k" })).toBe("k");
    expect(() => keyOf({ "Idempotency-Key": "k", "X-Idempotency-Key": "l" })).toThrow(/differ/);
  });

  test.each(["{{$guid}}", "order-{{orderId}}"])("that holds an unfilled template is refused: %s", (key) => {
    expect(() => keyOf({ "X-Idempotency-Key": key })).toThrow(/template/);
  });
});
