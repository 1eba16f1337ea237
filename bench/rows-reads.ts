import { findTransactionCursor } from "@/db/queries/transactions/transactions";
import { combinations } from "@/e2e/fixtures/combinations";
import { decodeId } from "@/lib/contract/ids";
import { resolvePeriod } from "@/lib/contract/reporting/period";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import type { Context } from "@/lib/domain/context";
import { getCustomer, listCustomers } from "@/lib/domain/customers/customers";
import { listDisputes } from "@/lib/domain/disputes/read-disputes";
import { getPayment, listPayments } from "@/lib/domain/payments/read-payments";
import { getOverview, listAttention, listLatest } from "@/lib/domain/reporting/overview";
import { getBalance } from "@/lib/domain/settlement/balance";
import { listPayouts } from "@/lib/domain/settlement/payouts";
import { searchEverything } from "@/lib/domain/support/search";
import {
  getTransaction,
  listTransactions,
  searchTransactions,
  searchTransactionTable,
  sumTransactions,
} from "@/lib/domain/transactions/read-transactions";
import { newId } from "@/lib/ids";

export type Read = { name: string; run(ctx: Context): Promise<unknown> };

type Body = Parameters<typeof searchTransactionsBody.parse>[0];

/** The member of staff that searches in support. */
export const STAFF_ID = "0198c000-0000-7000-b000-000000000000";

/** Rows before the page; the small database's merchant has 5,000. */
const DEEP = 4_000;

/**
 * Reads of the merchant that has half of the transactions. `times`: size of the database relative to the
 * small one; customers are chosen by it, so that each has about as many payments in both.
 */
export function readsOf(times: number, now: Date): Read[] {
  const customer = 7 * times;
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
  const search = (name: string, body: Body): Read => ({
    name: `search: ${name}`,
    run: (ctx) => searchTransactions(ctx, searchTransactionsBody.parse(body)),
  });
  const list = (query: Parameters<typeof listTransactions>[1]): Read => ({
    name: `list: ${
      Object.keys(query).length === 0
        ? "all"
        : Object.entries(query)
            .map(([key, value]) => `${key}=${value}`.slice(0, 44))
            .join(", ")
    }`,
    run: (ctx) => listTransactions(ctx, query),
  });
  return [
    list({}),
    list({ offset: DEEP }),
    list({ status: "DECLINED" }),
    list({ status: "PENDING" }),
    list({ card_brand: "visa" }),
    list({ type: "REFUND" }),
    list({ currency: "EUR" }),
    list({ currency: "JPY" }),
    list({ min_amount: 500, max_amount: 900 }),
    list({ decline_code: "insufficient_funds" }),
    list({ created_after: daysAgo(30) }),
    list({ captured_after: daysAgo(30), captured_before: daysAgo(28) }),
    list({ customer_id: `cus_0_${customer}` }),
    list({ plan_id: "plan_01k3000000e00a000000000007" }),
    list({ attention: "unknown_outcome" }),
    list({ attention: "failed_refund" }),
    list({ attention: "capture_reversed" }),
    list({ attention: "expiring" }),
    list({ status: "SETTLED", card_brand: "visa", min_amount: 500, created_before: daysAgo(100) }),
    ...combinations(now)
      .filter(({ name }) => !["customer", "e-mail"].includes(name))
      .map(({ name, body }) =>
        search(name.replace("10000", String(DEEP)), { ...body, ...(body.offset && { offset: DEEP }) }),
      ),
    search("by amount", { sort: { field: "amount" } }),
    search("by status, oldest first", { sort: { field: "status", order: "asc" } }),
    ...Object.entries({
      "a word of every transaction": "customer",
      "a word of one customer": `customer${customer}`,
      "three words": `customer order ${customer}`,
      "an amount": "49.90",
      "last four digits": "5433",
      "an e-mail address": `customer${customer}@shop0.example`,
      "no match": "nobody",
    }).flatMap(([name, q]) => [
      search(`words, ${name}`, { filters: { q } }),
      search(`words, ${name}, oldest first`, { filters: { q }, sort: { order: "asc" } }),
      search(`words, ${name}, declined, by amount`, {
        filters: { q, status: ["DECLINED"] },
        sort: { field: "amount" },
      }),
    ]),
    {
      name: "dashboard's list",
      run: (ctx) => searchTransactionTable(ctx, searchTransactionsBody.parse({ limit: 50 })),
    },
    { name: "sums: all", run: (ctx) => sumTransactions(ctx, searchTransactionsBody.parse({})) },
    {
      name: "sums: declined",
      run: (ctx) => sumTransactions(ctx, searchTransactionsBody.parse({ filters: { status: ["DECLINED"] } })),
    },
    { name: "list: the page after the first", run: pageAfter },
    { name: "transaction", run: async (ctx) => getTransaction(ctx, { id: await latestOf(ctx, "id") }) },
    { name: "payment", run: async (ctx) => getPayment(ctx, { id: await latestOf(ctx, "payment_id") }) },
    { name: "payments: all", run: (ctx) => listPayments(ctx, {}) },
    { name: "payments: declined", run: (ctx) => listPayments(ctx, { status: "DECLINED" }) },
    { name: "payments: of a customer", run: (ctx) => listPayments(ctx, { customer_id: `cus_0_${customer}` }) },
    { name: "customers", run: (ctx) => listCustomers(ctx, {}) },
    { name: "customers: by a common word", run: (ctx) => listCustomers(ctx, { q: "customer" }) },
    { name: "customers: by number", run: (ctx) => listCustomers(ctx, { q: `customer ${customer}` }) },
    { name: "customers: by e-mail", run: (ctx) => listCustomers(ctx, { q: `customer${customer}@shop0` }) },
    { name: "customers: deep", run: (ctx) => listCustomers(ctx, { offset: 400 }) },
    {
      name: "customer",
      run: async (ctx) => {
        const { data } = await listCustomers(ctx, { q: `customer${customer}@shop0`, limit: 1 });
        return getCustomer(ctx, { id: data[0]?.id as string });
      },
    },
    { name: "overview: 30 days", run: (ctx) => overview(ctx, "30-days") },
    { name: "overview: 12 months", run: (ctx) => overview(ctx, "12-months") },
    { name: "overview: latest", run: listLatest },
    { name: "overview: needs attention", run: listAttention },
    { name: "balance", run: getBalance },
    { name: "payouts", run: (ctx) => listPayouts(ctx, {}) },
    { name: "disputes", run: (ctx) => listDisputes(ctx, {}) },
    { name: "disputes: to respond to", run: (ctx) => listDisputes(ctx, { status: "NEEDS_RESPONSE" }) },
    ...[`customer${customer}@shop0.example`, "5433", "49.90", `cus_0_${customer}`].map((text) => ({
      name: `support: ${text.replace(String(customer), "N")}`,
      run: (ctx: Context) =>
        searchEverything(
          {
            service: ctx.service,
            staff: { userId: STAFF_ID },
            request: { id: newId(), path: "/support" },
          },
          { text },
        ),
    })),
  ];
}

const overview = (ctx: Context, period: Parameters<typeof resolvePeriod>[0]) =>
  getOverview(ctx, { period: (today) => resolvePeriod(period, today), currency: null });

async function latestOf(ctx: Context, key: "id" | "payment_id"): Promise<string> {
  const { data } = await listTransactions(ctx, { limit: 1 });
  return data[0]?.[key] as string;
}

async function pageAfter(ctx: Context): Promise<unknown> {
  const starting_after = await latestOf(ctx, "id");
  const id = decodeId("transaction", starting_after) as string;
  await findTransactionCursor(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id);
  return listTransactions(ctx, { starting_after });
}
