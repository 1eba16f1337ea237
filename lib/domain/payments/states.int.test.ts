import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { PAYMENT_STATUSES } from "@/lib/contract/payments/payment";
import { INVOICE_STATUSES, SUBSCRIPTION_STATUSES } from "@/lib/contract/subscriptions/statuses";
import { TRANSACTION_STATUSES } from "@/lib/contract/transactions/words";
import { INVOICE_TRANSITIONS, SUBSCRIPTION_TRANSITIONS } from "@/lib/domain/subscriptions/states";
import { PAYMENT_TRANSITIONS, TRANSACTION_TRANSITIONS } from "./states";

const { db } = await testDatabase({ own: true });

/** Status changes that a table's trigger allows, tested on a scratch table with a copy of the trigger. */
async function pairsAllowed(
  table: "payments" | "transactions" | "subscriptions" | "invoices",
  type: string,
  statuses: readonly string[],
): Promise<string[]> {
  const [trigger] = await db.sql<{ definition: string }[]>`
    select pg_get_triggerdef(oid) as definition from pg_trigger
    where tgrelid = ${table}::regclass and tgname = ${`${table}_transition`}`;
  const allowed: string[] = [];
  await db.sql.begin(async (tx) => {
    await tx.unsafe(`create temp table probe (like ${table}) on commit drop`);
    await tx.unsafe(`alter table probe alter column environment_id drop not null`);
    const columns = await tx<{ name: string }[]>`
      select attname as name from pg_attribute where attrelid = 'probe'::regclass and attnum > 0 and attnotnull`;
    for (const { name } of columns) await tx.unsafe(`alter table probe alter column "${name}" drop not null`);
    await tx.unsafe((trigger?.definition ?? "").replace(/ ON \S+ /, " ON probe "));
    for (const from of statuses) {
      for (const to of statuses) {
        if (from === to) continue;
        const passed = await tx
          .savepoint(async (sp) => {
            await sp.unsafe(`insert into probe (status${table === "transactions" ? ", type" : ""})
              values ('${from}'${table === "transactions" ? `, '${type}'` : ""})`);
            await sp.unsafe(`update probe set status = '${to}'`);
            await sp`delete from probe`;
            return true;
          })
          .catch((error: { code?: string }) => {
            expect(error.code).toBe("23514");
            return false;
          });
        if (passed) allowed.push(`${from}>${to}`);
      }
    }
  });
  return allowed.sort();
}

const pairsOf = (table: Record<string, readonly string[]>) =>
  Object.entries(table)
    .flatMap(([from, targets]) => targets.map((to) => `${from}>${to}`))
    .sort();

test("the database allows a payment exactly the transitions in the table", async () => {
  expect(await pairsAllowed("payments", "", PAYMENT_STATUSES)).toEqual(pairsOf(PAYMENT_TRANSITIONS));
});

test.each(["CHARGE", "REFUND"] as const)(
  "the database allows a %s exactly the transitions in the table",
  async (type) => {
    expect(await pairsAllowed("transactions", type, TRANSACTION_STATUSES)).toEqual(
      pairsOf(TRANSACTION_TRANSITIONS[type]),
    );
  },
);

test("the database allows a subscription and an invoice exactly the transitions in their tables", async () => {
  expect(await pairsAllowed("subscriptions", "", SUBSCRIPTION_STATUSES)).toEqual(pairsOf(SUBSCRIPTION_TRANSITIONS));
  expect(await pairsAllowed("invoices", "", INVOICE_STATUSES)).toEqual(pairsOf(INVOICE_TRANSITIONS));
});
