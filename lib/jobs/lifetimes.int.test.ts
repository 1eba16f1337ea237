import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LIFETIMES } from "@/db/lifetimes";
import { insertPaymentToken } from "@/db/queries/checkout/payment-tokens";
import { deleteOldSandboxNotes } from "@/db/queries/sandbox/reports";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testService } from "@/e2e/fixtures/factories";
import { forgetOldCards } from "@/lib/domain/checkout/payment-tokens";
import { newId } from "@/lib/ids";

const { db } = await testDatabase({ own: true });

test("each table has a retention period, and its job exists", async () => {
  const tables = await db.sql<{ name: string }[]>`
    select schemaname || '.' || tablename as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema', 'drizzle', 'request_log_days', 'webhook_weeks') order by 1`;
  expect(Object.keys(LIFETIMES).toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
  const jobs = readFileSync("lib/jobs/jobs.ts", "utf8");
  for (const { job } of Object.values(LIFETIMES)) if (job !== null) expect(jobs).toContain(`repeat(service, "${job}"`);
});

async function tokenThatEnded(environmentId: string, ago: string): Promise<string> {
  const id = newId();
  const now = new Date().toISOString();
  await insertPaymentToken(db.orm, environmentId, {
    id,
    processor_token: "sbx_",
    card_brand: "visa",
    card_last4: "4242",
    card_bin: "424242",
    card_exp_month: 12,
    card_exp_year: 2040,
    card_name: null,
    postal_code: null,
    client_session_id: null,
    connection_id: null,
    expires_at: now,
    created_at: now,
  });
  await db.sql`update payment_tokens set expires_at = now() - ${ago}::interval where id = ${id}`;
  return id;
}

test("a payment token is removed once no key can replay its payment, and not before", async () => {
  const { test: environment } = await createTestMerchant(db);
  const old = await tokenThatEnded(environment.id, "25 hours 1 second");
  const recent = await tokenThatEnded(environment.id, "24 hours 59 minutes");
  await forgetOldCards(testService(db));
  const left = await db.sql`select id, processor_token from payment_tokens where environment_id = ${environment.id}`;
  expect([...left]).toEqual([{ id: recent, processor_token: "" }]);
  expect(left.map(({ id }) => id)).not.toContain(old);
});

test("the sandbox's temporary notes are deleted after a week, in batches", async () => {
  const account = newId();
  for (const days of [8, 8, 8, 6]) {
    await db.sql`insert into sandbox_processor.refusals (reference, account, created_at)
      values (${newId()}, ${account}, now() - ${`${days} days`}::interval)`;
    await db.sql`insert into sandbox_processor.reports (reference, account, due_at, applied_at, acknowledged_at)
      select ${newId()}::uuid, ${account}::uuid, t, t, t from (select now() - ${`${days} days`}::interval as t) at`;
  }
  await db.sql`insert into sandbox_processor.reports (reference, account, due_at) values (${newId()}, ${account}, now() - interval '8 days')`;
  expect([await deleteOldSandboxNotes(db.sql, 2), await deleteOldSandboxNotes(db.sql, 2)]).toEqual([4, 2]);
  expect(await deleteOldSandboxNotes(db.sql, 2)).toBe(0);
  const [left] = await db.sql`
    select (select count(*) from sandbox_processor.refusals where account = ${account}) as refusals,
      (select count(*) from sandbox_processor.reports where account = ${account}) as reports`;
  expect(left).toEqual({ refusals: 1, reports: 2 });
});
