import { beforeEach, describe, expect, test } from "vitest";
import { MoneyDriver, type MoneyPorts, type MoneyResponse } from "./money-action";
import type { Attempt, KeyFinding, Refusal } from "./money-attempt";
import { type MoneyRecord, recordStore } from "./money-record";
import type { MoneySubject } from "./money-subject";

class MemoryStorage implements Storage {
  readonly #items = new Map<string, string>();
  get length() {
    return this.#items.size;
  }
  clear = () => this.#items.clear();
  getItem = (name: string) => this.#items.get(name) ?? null;
  key = (index: number) => [...this.#items.keys()][index] ?? null;
  removeItem = (name: string) => void this.#items.delete(name);
  setItem = (name: string, value: string) => void this.#items.set(name, value);
}

const captured: MoneySubject = {
  paymentId: "pay_1",
  chargeId: "txn_1",
  type: "CHARGE",
  status: "CAPTURED",
  currency: "USD",
  amount: 10_000,
  captured: 10_000,
  capturable: 0,
  refunded: 0,
  refundable: 10_000,
  actions: ["refund"],
  refunds: [],
  captureBefore: null,
  voidReason: null,
  dispute: null,
  captureReversed: false,
  card: "Visa •••• 4242",
};
const authorized: MoneySubject = {
  ...captured,
  status: "AUTHORIZED",
  captured: 0,
  capturable: 10_000,
  refundable: 0,
  actions: ["capture", "void"],
};
const withRefund = (id: string, amount: number, status = "CAPTURED"): MoneySubject => ({
  ...captured,
  status: "PARTIALLY_REFUNDED",
  refunded: amount,
  refundable: 10_000 - amount,
  refunds: [{ id, amount, status }],
});

const made = (id = "txn_refund"): Attempt<MoneyResponse> => ({
  kind: "answered",
  status: 201,
  data: { id, object: "transaction", status: "CAPTURED" },
});
const pending = (id = "txn_refund"): Attempt<MoneyResponse> => ({
  kind: "answered",
  status: 202,
  data: { id, object: "transaction", status: "PENDING" },
});
const noAnswer: Attempt<MoneyResponse> = { kind: "no_answer" };
const refusal = (code: string, status: number): Attempt<MoneyResponse> => ({
  kind: "refused",
  status,
  code,
  detail: "No.",
  param: null,
  errors: [],
  requestId: null,
  retryAfterMs: null,
});

const failed: Refusal = {
  status: 402,
  code: "payment_failed",
  detail: "No.",
  param: null,
  errors: [],
  requestId: null,
};

const owner = { mode: "test", merchantId: "mer_1" } as const;
const HOUR_MS = 3_600_000;

describe("a money action of the dashboard", () => {
  let storage: MemoryStorage;
  let subject: MoneySubject;
  let answers: (Attempt<MoneyResponse> | Promise<Attempt<MoneyResponse>>)[];
  let sent: { key: string; body: object; chargeId: string }[];
  let now: number;
  let keys: number;
  /** Events that happen while polling waits. */
  let meanwhile: (() => void)[];
  /** State of the key at the service. */
  let finding: KeyFinding;

  beforeEach(() => {
    storage = new MemoryStorage();
    subject = captured;
    answers = [];
    sent = [];
    now = Date.UTC(2026, 10, 21);
    keys = 0;
    meanwhile = [];
    finding = { kind: "absent" };
  });

  const ports = (): MoneyPorts => ({
    owner,
    read: async () => subject,
    lookUp: async () => finding,
    send: async (request) => {
      sent.push(request);
      return (await answers.shift()) ?? noAnswer;
    },
    store: recordStore(storage, owner),
    newKey: () => `key-${++keys}`,
    now: () => now,
    wait: () =>
      new Promise((resolve) => {
        const next = meanwhile.shift();
        if (!next) return;
        next();
        resolve();
      }),
    exclusively: (_, work) => work(),
    onChange: () => {},
  });
  const start = async (action: "refund" | "capture" | "void" = "refund") => {
    const driver = new MoneyDriver(action, "pay_1", ports());
    await driver.open();
    return driver;
  };
  const record = (): MoneyRecord | null => recordStore(storage, owner).find("pay_1", "refund");
  const settled = async (driver: { getSnapshot(): { state: { step: string } } }, step: string) => {
    await expect.poll(() => driver.getSnapshot().state.step).toBe(step);
  };

  test("a completed refund is done and leaves no record", async () => {
    const driver = await start();
    answers = [made()];
    await driver.submit({ amount: 4_000 }, 4_000);
    expect(driver.getSnapshot()).toMatchObject({ state: { step: "done" }, record: { transactionId: "txn_refund" } });
    expect(sent).toEqual([{ action: "refund", chargeId: "txn_1", body: { amount: 4_000 }, key: "key-1" }]);
    expect(storage.length).toBe(0);
  });

  test("a second click sends nothing, neither during the first request nor after it", async () => {
    const driver = await start();
    let answer: (attempt: Attempt<MoneyResponse>) => void = () => {};
    answers = [new Promise((resolve) => (answer = resolve))];
    const first = driver.submit({}, 10_000);
    await driver.submit({}, 10_000);
    await driver.retry();
    answer(made());
    await first;
    await driver.submit({}, 10_000);
    expect(sent).toHaveLength(1);
  });

  test("the record is written before the request goes out", async () => {
    const driver = await start();
    answers = [new Promise(() => {})];
    void driver.submit({ amount: 1_000, reason: "RETURN" }, 1_000);
    await expect.poll(() => sent.length).toBe(1);
    expect(record()).toMatchObject({ key: "key-1", body: { amount: 1_000, reason: "RETURN" }, amount: 1_000 });
  });

  test("without a response the outcome is unknown, and a retry repeats key and body", async () => {
    const driver = await start();
    answers = [noAnswer, made()];
    await driver.submit({ amount: 4_000 }, 4_000);
    expect(driver.getSnapshot().state).toMatchObject({ step: "unknown", why: "no_answer", retryable: true });
    expect(record()).not.toBeNull();
    await driver.retry();
    expect(driver.getSnapshot().state).toEqual({ step: "done" });
    expect(sent[1]).toEqual(sent[0]);
    expect(record()).toBeNull();
  });

  test("a reload midway returns to the unknown outcome with the same key", async () => {
    const before = await start();
    answers = [new Promise(() => {})];
    void before.submit({ amount: 4_000 }, 4_000);
    await expect.poll(() => sent.length).toBe(1);

    const after = await start();
    expect(after.getSnapshot().state).toMatchObject({ step: "unknown" });
    await after.submit({ amount: 4_000 }, 4_000);
    expect(sent, "the form cannot be sent again").toHaveLength(1);
    answers = [made()];
    await after.retry();
    expect(sent[1]).toEqual(sent[0]);
    expect(after.getSnapshot().state.step).toBe("done");
  });

  test("PENDING is unknown until the key has the refund's outcome", async () => {
    const driver = await start();
    answers = [pending()];
    meanwhile = [
      () => (finding = { kind: "open", transactionId: "txn_refund" }),
      () => (finding = { kind: "done", transactionId: "txn_refund" }),
    ];
    await driver.submit({ amount: 4_000 }, 4_000);
    await settled(driver, "done");
    expect(driver.getSnapshot().record?.transactionId).toBe("txn_refund");
    expect(sent).toHaveLength(1);
    expect(record()).toBeNull();
  });

  test("a refund that fails after PENDING is refused, and the next try has a new key", async () => {
    const driver = await start();
    answers = [pending(), made()];
    meanwhile = [() => (finding = { kind: "refused", refusal: failed })];
    await driver.submit({ amount: 4_000 }, 4_000);
    await settled(driver, "refused");
    await driver.submit({ amount: 4_000 }, 4_000);
    expect(sent.map(({ key }) => key)).toEqual(["key-1", "key-2"]);
  });

  test("checking the status sends nothing and never mistakes another refund for its own", async () => {
    const driver = await start();
    answers = [noAnswer];
    await driver.submit({ amount: 4_000 }, 4_000);
    subject = withRefund("txn_another", 4_000);
    await driver.check();
    expect(driver.getSnapshot()).toMatchObject({
      state: { step: "unknown", notice: expect.stringContaining("has not received the request") },
      subject: { refunded: 4_000 },
    });
    finding = { kind: "done", transactionId: "txn_own" };
    await driver.check();
    expect(driver.getSnapshot()).toMatchObject({ state: { step: "done" }, record: { transactionId: "txn_own" } });
    expect(sent).toHaveLength(1);
  });

  test("a request found in progress is followed until it ends", async () => {
    const driver = await start();
    answers = [noAnswer];
    await driver.submit({ amount: 4_000 }, 4_000);
    finding = { kind: "open", transactionId: null };
    meanwhile = [() => {}, () => (finding = { kind: "done", transactionId: "txn_refund" })];
    await driver.check();
    expect(driver.getSnapshot().state).toMatchObject({ step: "unknown", why: "pending" });
    await settled(driver, "done");
  });

  test("if the status cannot be read, the outcome stays unknown and the page shows why", async () => {
    const driver = new MoneyDriver("refund", "pay_1", {
      ...ports(),
      lookUp: () => Promise.reject(new Error("No answer came.")),
    });
    await driver.open();
    answers = [noAnswer];
    await driver.submit({}, 10_000);
    await driver.check();
    expect(driver.getSnapshot().state).toMatchObject({ step: "unknown", checking: false, notice: "No answer came." });
  });

  test("a capture without a response is done once its key says so, and shows no refund", async () => {
    subject = authorized;
    const driver = await start("capture");
    answers = [noAnswer];
    await driver.submit({ amount: 6_000 }, 6_000);
    await driver.check();
    expect(driver.getSnapshot().state.step).toBe("unknown");
    finding = { kind: "done", transactionId: "txn_1" };
    await driver.check();
    expect(driver.getSnapshot()).toMatchObject({ state: { step: "done" }, record: { transactionId: null } });
  });

  test("after a refusal stored under the key, the next attempt gets a new key; after others it keeps its key", async () => {
    const driver = await start();
    answers = [refusal("outcome_pending", 409), refusal("amount_exceeds_refundable", 422), made()];
    await driver.submit({ amount: 4_000 }, 4_000);
    await driver.submit({ amount: 4_000 }, 4_000);
    await driver.submit({ amount: 4_000 }, 4_000);
    expect(sent.map(({ key }) => key)).toEqual(["key-1", "key-1", "key-2"]);
  });

  test("a retry that is refused for another reason leaves the outcome unknown and shows why", async () => {
    const driver = await start();
    answers = [noAnswer, refusal("permission_denied", 403)];
    await driver.submit({}, 10_000);
    await driver.retry();
    expect(driver.getSnapshot().state).toMatchObject({ step: "unknown", why: "unanswerable", notice: "No." });
    expect(record()?.key).toBe("key-1");
  });

  test("after a refund in another tab, nothing is sent until the user has seen it", async () => {
    const driver = await start();
    subject = withRefund("txn_other", 4_000);
    answers = [made()];
    await driver.submit({ amount: 4_000 }, 4_000);
    expect(sent).toHaveLength(0);
    expect(driver.getSnapshot()).toMatchObject({ state: { step: "editing" }, subject: { refundable: 6_000 } });
    expect(driver.getSnapshot().changes).toEqual([
      "A refund of $40.00 was made.",
      "$60.00 is left to refund, not $100.00.",
    ]);
    await driver.submit({ amount: 4_000 }, 4_000);
    expect(sent).toHaveLength(1);
  });

  test("while an outcome is unknown in one tab, another tab does not send the request under another key", async () => {
    const [first, second] = [await start(), await start()];
    answers = [noAnswer];
    await first.submit({ amount: 4_000 }, 4_000);
    await second.submit({ amount: 4_000 }, 4_000);
    expect(sent).toHaveLength(1);
    expect(second.getSnapshot()).toMatchObject({ state: { step: "unknown" }, record: { key: "key-1" } });
    expect((await start()).getSnapshot().state.step).toBe("unknown");
    answers = [made()];
    await second.retry();
    expect(sent[1]).toEqual(sent[0]);
  });

  test("a request that never arrived is not resent after another user's refund until the user has seen that refund", async () => {
    const driver = await start();
    answers = [noAnswer, made()];
    await driver.submit({ amount: 4_000 }, 4_000);
    subject = withRefund("txn_other", 4_000);
    await driver.retry();
    expect(sent).toHaveLength(1);
    expect(driver.getSnapshot()).toMatchObject({ state: { step: "editing" }, subject: { refundable: 6_000 } });
    expect(driver.getSnapshot().changes).toEqual(["$60.00 is left to refund, not $100.00."]);
    expect(record()).toBeNull();
    await driver.submit({ amount: 1_000 }, 1_000);
    expect(sent[1]).toMatchObject({ key: "key-1", body: { amount: 1_000 } });
  });

  test("a retry is sent even if the request's status is unavailable, because its key makes it safe", async () => {
    const driver = new MoneyDriver("refund", "pay_1", {
      ...ports(),
      lookUp: () => Promise.reject(new Error("No answer came.")),
    });
    await driver.open();
    answers = [noAnswer, made()];
    await driver.submit({ amount: 4_000 }, 4_000);
    await driver.retry();
    expect(driver.getSnapshot().state.step).toBe("done");
    expect(sent[1]).toEqual(sent[0]);
  });

  test("a retry that the browser blocks leaves the outcome unknown and can be repeated", async () => {
    const driver = await start();
    answers = [noAnswer, made()];
    await driver.submit({ amount: 4_000 }, 4_000);
    finding = { kind: "open" } as KeyFinding;
    answers = [Promise.reject(new Error("The browser has no room."))];
    await driver.retry();
    expect(driver.getSnapshot().state).toMatchObject({ step: "unknown", notice: "The browser has no room." });
    answers = [made()];
    await driver.retry();
    expect(driver.getSnapshot().state.step).toBe("done");
  });

  test("returning to the tab shows what has changed", async () => {
    const driver = await start();
    subject = withRefund("txn_other", 2_500);
    await driver.refresh();
    expect(driver.getSnapshot().changes[0]).toBe("A refund of $25.00 was made.");
  });

  test("when the payment cannot be read, nothing is sent", async () => {
    const failing = ports();
    let works = true;
    const driver = new MoneyDriver("refund", "pay_1", {
      ...failing,
      read: async () => {
        if (works) return subject;
        throw new Error("No answer came.");
      },
    });
    await driver.open();
    works = false;
    await driver.submit({}, 10_000);
    expect(driver.getSnapshot()).toMatchObject({ state: { step: "editing" }, readError: "No answer came." });
    expect(sent).toHaveLength(0);
  });

  test("when the record cannot be kept, nothing is sent", async () => {
    const driver = await start();
    storage.setItem = () => {
      throw new Error("quota");
    };
    await driver.submit({}, 10_000);
    expect(sent).toHaveLength(0);
    expect(driver.getSnapshot()).toMatchObject({
      state: { step: "editing" },
      readError: expect.stringContaining("Nothing was sent"),
    });
  });

  test("after a key has expired there is no safe retry: the status can be checked, then the record discarded", async () => {
    const driver = await start();
    answers = [noAnswer, made()];
    await driver.submit({}, 10_000);
    driver.forget();
    expect(record(), "not before").not.toBeNull();
    now += 23 * HOUR_MS;
    await driver.check();
    expect(driver.getSnapshot().state).toMatchObject({ step: "unknown", retryable: false });
    await driver.retry();
    expect(sent).toHaveLength(1);
    driver.forget();
    expect(driver.getSnapshot().state.step).toBe("editing");
    expect(record()).toBeNull();
  });

  test("records belong to one merchant and mode", async () => {
    const driver = await start();
    answers = [noAnswer];
    await driver.submit({}, 10_000);
    expect(recordStore(storage, owner).list()).toHaveLength(1);
    expect(recordStore(storage, { ...owner, mode: "live" }).list()).toEqual([]);
    expect(recordStore(storage, { ...owner, merchantId: "mer_2" }).list()).toEqual([]);
  });
});
