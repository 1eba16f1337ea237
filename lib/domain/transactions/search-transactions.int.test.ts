import { beforeAll, describe, expect, it } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import {
  expectedIds,
  insertSample,
  PLAN,
  SAMPLE,
  type SampleTransaction,
  START,
  SUBSCRIPTIONS,
} from "@/e2e/fixtures/sample-transactions";
import { encodeId } from "@/lib/contract/ids";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { searchTransactions } from "./read-transactions";

const { db } = await testDatabase({ own: true });
const { merchant, call } = await testTenant(db);

beforeAll(async () => {
  await Promise.all(SAMPLE.map((row) => insertSample(db, merchant.test.id, row)));
  // Servers do this by themselves within a minute; until then,
  // the planner expects empty tables and reads pages repeatedly.
  await db.sql`analyze transactions, payments`;
});

const search = (body: unknown) => searchTransactions(call(), searchTransactionsBody.parse(body));

const filters: [name: string, filter: object, matches: (row: SampleTransaction) => boolean][] = [
  ["nothing", {}, () => true],
  ["a status", { status: ["DECLINED"] }, (row) => row.status === "DECLINED"],
  [
    "statuses, one of them twice",
    { status: ["VOIDED", "FAILED", "VOIDED"] },
    (row) => ["VOIDED", "FAILED"].includes(row.status),
  ],
  ["a brand", { card_brand: ["amex"] }, (row) => row.card_brand === "amex"],
  [
    "brands and statuses",
    { card_brand: ["visa", "discover"], status: ["SETTLED", "DECLINED"] },
    (row) => ["visa", "discover"].includes(row.card_brand ?? "") && ["SETTLED", "DECLINED"].includes(row.status),
  ],
  ["every brand", { card_brand: ["visa", "mastercard", "amex", "discover"] }, (row) => row.card_brand !== null],
  ["a customer", { customer_id: "anna" }, (row) => row.customer_id === "anna"],
  [
    "an e-mail in other letters",
    { customer_email: "aNNa@example.COM" },
    (row) => row.customer_email === "Anna@Example.com",
  ],
  [
    "a subscription",
    { subscription_id: encodeId("subscription", SUBSCRIPTIONS[1] as string) },
    (row) => row.subscription_id === SUBSCRIPTIONS[1],
  ],
  [
    "last four digits and a brand",
    { card_last4: "0005", card_brand: ["visa"] },
    (row) => row.card_last4 === "0005" && row.card_brand === "visa",
  ],
  ["amounts, both ends included", { amount: { gte: 150, lte: 300 } }, (row) => row.amount >= 150 && row.amount <= 300],
  [
    "amounts and statuses",
    { amount: { gte: 300 }, status: ["SETTLED"] },
    (row) => row.amount >= 300 && row.status === "SETTLED",
  ],
  [
    "times, both ends included",
    { created_at: { gte: at(10), lte: at(50) } },
    (row) => row.time >= START + 10 && row.time <= START + 50,
  ],
  [
    "times to the microsecond",
    { created_at: { gte: "2026-03-01T00:00:00.010001Z", lte: "2026-03-01T00:00:00.050999Z" } },
    (row) => row.time > START + 10 && row.time <= START + 50,
  ],
  ["a plan", { plan_id: encodeId("plan", PLAN) }, (row) => row.plan_id === PLAN],
  ["an id of another kind", { plan_id: "plan_1" }, () => false],
  [
    "a currency and a brand",
    { currency: ["EUR"], card_brand: ["visa"] },
    (row) => row.currency === "EUR" && row.card_brand === "visa",
  ],
  ["a currency without payments", { currency: ["JPY"] }, () => false],
  ["charges, which match all", { type: ["CHARGE"] }, () => true],
  ["refunds, which match none", { type: ["REFUND"] }, () => false],
  [
    "either of two decline codes",
    { decline_code: ["lost_card", "stolen_card"] },
    (row) => row.decline_code === "lost_card",
  ],
  [
    "times of capture, both ends included",
    { captured_at: { gte: at(20), lte: at(70) } },
    (row) => row.captured !== null && row.captured >= START + 20 && row.captured <= START + 70,
  ],
  ["a whole day", { created_at: { gte: "2026-03-01", lte: "2026-03-01" } }, () => true],
  [
    "everything",
    { created_at: { gte: at(5) }, status: ["SETTLED", "VOIDED"], card_brand: ["visa", "amex"], amount: { lte: 450 } },
    (row) =>
      row.time >= START + 5 &&
      ["SETTLED", "VOIDED"].includes(row.status) &&
      ["visa", "amex"].includes(row.card_brand ?? "") &&
      row.amount <= 450,
  ],
];

function at(milliseconds: number): string {
  return new Date(START + milliseconds).toISOString();
}

describe("searching finds exactly what matches, in order", () => {
  for (const [name, filter, matches] of filters) {
    for (const field of ["created_at", "amount", "status"] as const) {
      for (const order of ["asc", "desc"] as const) {
        it(`${name}, by ${field} ${order}: paging by offset and by starting_after return the same`, async () => {
          const all = expectedIds(matches, field, order);
          const byOffset: string[] = [];
          const byCursor: string[] = [];
          for (let offset = 0; offset <= all.length; offset += 50) {
            const sort = { field, order };
            const page = await search({ filters: filter, sort, limit: 50, offset });
            byOffset.push(...page.data.map((row) => row.id));
            const next = await search({
              filters: filter,
              sort,
              limit: 50,
              ...(offset > 0 && { starting_after: byCursor.at(-1) }),
            });
            byCursor.push(...next.data.map((row) => row.id));
            for (const found of [page, next]) {
              expect(found).toMatchObject({
                total: all.length,
                total_capped: false,
                has_more: all.length > offset + 50,
              });
            }
          }
          expect(byOffset).toEqual(all);
          expect(byCursor).toEqual(all);
        });
      }
    }
  }
});
