import { describe, expect, it } from "vitest";
import type { Payment } from "@/lib/contract/payments/payment";
import type { Order } from "./orders";
import { compareBooks, type LedgerBook, type Reconciled, sumByCurrency, sumByStatus } from "./reconcile";

const order = (over: Partial<Order> = {}): Order => ({
  line: 2,
  key: "o1-1",
  order_id: "o1",
  payment_sequential: "1",
  purchased_at: "2026-10-01T08:00:00Z",
  customer_id: "c1",
  amount: 1_000,
  currency: "EUR",
  installments: 1,
  order_status: "delivered",
  ending: "CAPTURED",
  ...over,
});

const row = (over: Partial<Payment> = {}, of: Order = order(), failure: string | null = null): Reconciled => ({
  sent: { order: of, paymentId: "pay_1", failure },
  payment: {
    id: "pay_1",
    status: of.ending,
    amount: of.amount,
    currency: of.currency,
    customer_id: of.customer_id,
    amount_captured: 1_000,
    amount_refunded: 0,
    ...over,
  } as Payment,
});

const ledger = (captured = 1_000, refunded = 0, currency = "EUR", charges = 1): LedgerBook => ({
  byPayment: new Map([["pay_1", { captured, refunded, currency }]]),
  chargesPerKey: new Map([["o1-1", charges]]),
});

const problems = (rows: Reconciled[], book: LedgerBook | null) =>
  compareBooks(rows, book).map((difference) => difference.problem);

describe("compareBooks", () => {
  it("finds nothing if file, API and ledger agree, settled or not", () => {
    expect(problems([row()], ledger())).toEqual([]);
    expect(problems([row({ status: "SETTLED" })], ledger())).toEqual([]);
    const refunded = order({ ending: "REFUNDED" });
    expect(problems([row({ amount_refunded: 1_000 }, refunded)], ledger(1_000, 1_000))).toEqual([]);
  });

  it.each([
    [
      "a payment that the API has in another status",
      [row({ status: "AUTHORIZED" })],
      ledger(),
      "status is CAPTURED in the file and AUTHORIZED in the API",
    ],
    [
      "one cent captured too little",
      [row({ amount_captured: 999 })],
      ledger(),
      "captured is 1000 in the file and 999 in the API",
    ],
    [
      "a refund that was not requested",
      [row({ amount_refunded: 1 })],
      ledger(),
      "refunded is 0 in the file and 1 in the API",
    ],
    ["another currency", [row({ currency: "USD" })], ledger(), "currency is EUR in the file and USD in the API"],
    ["a capture that the ledger lacks", [row()], ledger(0), "captured is 1000 in the file and 0 in the ledger"],
    ["a ledger line in another currency", [row()], ledger(1_000, 0, "USD"), "the ledger has it in USD"],
    ["an order that was charged twice", [row()], ledger(1_000, 0, "EUR", 2), "was charged 2 times"],
    ["a declined payment", [{ ...row({}, order(), "create: 402"), payment: null }], ledger(), "create: 402"],
    [
      "a payment that the API does not know",
      [{ ...row(), payment: null }],
      ledger(),
      "the API does not know its payment",
    ],
  ])("reports %s", (_name, rows, book, problem) => {
    expect(problems(rows, book).join("\n")).toContain(problem);
  });

  it("reports two orders that share one payment", () => {
    expect(problems([row(), row({}, order({ line: 3, key: "o2-1" }))], ledger())).toContain(
      "has the same payment as line 2",
    );
  });

  it("compares only file and API if the ledger can't be read", () => {
    expect(problems([row()], null)).toEqual([]);
    expect(problems([row({ amount_captured: 1 })], null)).toHaveLength(1);
  });
});

describe("the replay's sums", () => {
  it("adds up payments per status and currency, and money per currency in all three books", () => {
    const rows = [row({ status: "SETTLED" })];
    expect(sumByStatus(rows)).toEqual([
      { status: "CAPTURED", currency: "EUR", file: { count: 1, amount: 1_000 }, api: { count: 1, amount: 1_000 } },
    ]);
    expect(sumByCurrency(rows, ledger(900))).toEqual([
      { currency: "EUR", what: "captured", file: 1_000, api: 1_000, ledger: 900 },
      { currency: "EUR", what: "refunded", file: 0, api: 0, ledger: 0 },
    ]);
    expect(sumByCurrency(rows, null)[0]?.ledger).toBeNull();
  });
});
