import type { z } from "zod";
import type { searchTransactionsBody } from "@/lib/contract/transactions/transaction";

/** Search terms from the seed: common, prefixes and rare, for a merchant with half of all rows. */
export function wordSearches(): Combination[] {
  const of = (q: string, more: object = {}) => ({ name: `“${q}”`, body: { filters: { q, ...more } } });
  return [
    of("customer"),
    of("order"),
    of("1"),
    of("10.49"),
    of("customer77"),
    of("ord-812345"),
    of("nobody"),
    of("customer order"),
    of("customer order shop0 example"),
    of("order 4242"),
    { ...of("customer", { status: ["DECLINED"] }), name: "“customer”, declined" },
    { ...of("order", { currency: ["USD"] }), name: "“order”, US dollars" },
    { name: "“customer”, by amount", body: { filters: { q: "customer" }, sort: { field: "amount" } } },
  ];
}

export type Combination = { name: string; body: z.input<typeof searchTransactionsBody> };

const DAY_MS = 86_400_000;

/** Fifteen combinations that cover every filter and every sort, with first pages and deep offsets. */
export function combinations(now: Date): Combination[] {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString();
  return [
    { name: "newest first", body: {} },
    { name: "oldest first, offset 10000", body: { sort: { order: "asc" }, offset: 10_000 } },
    { name: "status", body: { filters: { status: ["DECLINED"] } } },
    {
      name: "three statuses, offset 10000",
      body: { filters: { status: ["SETTLED", "DECLINED", "VOIDED"] }, offset: 10_000 },
    },
    { name: "brand, offset 10000", body: { filters: { card_brand: ["amex"] }, offset: 10_000 } },
    {
      name: "two brands and two statuses",
      body: { filters: { card_brand: ["discover", "amex"], status: ["FAILED", "DECLINED"] } },
    },
    { name: "customer", body: { filters: { customer_id: "cus_0_7" } } },
    { name: "e-mail", body: { filters: { customer_email: "CUSTOMER7@Shop0.example" } } },
    { name: "subscription", body: { filters: { subscription_id: "sub_01k3000000e00a000000000007" } } },
    { name: "last four digits and status", body: { filters: { card_last4: "5433", status: ["SETTLED"] } } },
    { name: "amount range, offset 10000", body: { filters: { amount: { gte: 2_000, lte: 10_000 } }, offset: 10_000 } },
    {
      name: "last month by amount",
      body: { filters: { created_at: { gte: daysAgo(30) } }, sort: { field: "amount" } },
    },
    { name: "by amount, offset 10000", body: { sort: { field: "amount", order: "asc" }, offset: 10_000 } },
    { name: "by status, offset 10000", body: { sort: { field: "status" }, offset: 10_000 } },
    {
      name: "everything at once, by amount",
      body: {
        filters: {
          status: ["SETTLED", "CAPTURED"],
          card_brand: ["visa", "mastercard"],
          amount: { gte: 3_000, lte: 6_000 },
          created_at: { gte: daysAgo(400), lte: daysAgo(30) },
        },
        sort: { field: "amount" },
      },
    },
  ];
}
