import { expect, test } from "vitest";
import { ROLES } from "@/db/client";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testPaymentToken } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { decodeId } from "@/lib/contract/ids";
import { cardInput } from "@/lib/contract/payments/payment";
import { verifyBooks } from "./verify-books";

const { db } = await testDatabase({ own: true });
const faultsIn = async (environmentId: string) =>
  (await verifyBooks(db)).checks
    .filter(({ rows }) => rows.some((row) => row.environment_id === environmentId))
    .map(({ check }) => check)
    .sort();

async function tenantAt(feeBasisPoints: number) {
  const tenant = await moneyTenant(db);
  const setRate = (rate: number) =>
    db.sql`update environments set fee_basis_points = ${rate} where id = ${tenant.environmentId}`;
  await setRate(feeBasisPoints);
  const rates = () =>
    db.sql<{ kind: string; rate: number | null; fee: number | null }[]>`
    select o.kind, o.fee_basis_points as rate, l.amount as fee from operations o
    left join ledger_entries l on l.environment_id = o.environment_id and l.operation_id = o.id and l.credit_account = 'fees'
    where o.environment_id = ${tenant.environmentId} order by o.id`.then((rows) => rows.map((row) => ({ ...row })));
  return { ...tenant, setRate, rates, faults: () => faultsIn(tenant.environmentId) };
}

/** Acts as the service's own role, which may write all of these tables. */
const asJobs = (statement: string) =>
  db.sql.begin(async (tx) => {
    await tx.unsafe(`set local role ${ROLES.jobs}`);
    await tx.unsafe(statement);
  });

const feeOfAll = (environmentId: string) => `
  insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
  select l.environment_id, l.operation_id, 2, l.payment_id, 'merchant_payable', 'fees', l.amount, l.currency
  from ledger_entries l join operations o on o.environment_id = l.environment_id and o.id = l.operation_id
  where l.environment_id = '${environmentId}' and l.line = 1 and o.kind in ('authorize', 'capture')
    and not exists (select from ledger_entries f where f.environment_id = l.environment_id and f.operation_id = l.operation_id and f.line = 2)`;

test("every charge records the rate of its fee, and the books agree after the merchant's rate changes", async () => {
  const tenant = await tenantAt(290);
  await tenant.create({ amount: 10_017 });
  const { body } = await tenant.create({ amount: 10_000, capture_method: "manual" });
  await tenant.setRate(0);
  await tenant.act("capture", body.id, { amount: 5_000 });
  await tenant.act("refund", body.id, { amount: 10 });
  await tenant.setRate(1);
  await tenant.create({ amount: 49 });
  expect(await tenant.rates()).toEqual([
    { kind: "authorize", rate: 290, fee: 290 },
    { kind: "authorize", rate: null, fee: null },
    { kind: "capture", rate: 0, fee: null },
    { kind: "refund", rate: null, fee: null },
    { kind: "authorize", rate: 1, fee: null },
  ]);
  expect(await tenant.faults()).toEqual([]);
});

test("an unauthorized fee is found, whichever of the service's roles wrote it", async () => {
  const tenant = await tenantAt(0);
  await tenant.create();
  await asJobs(feeOfAll(tenant.environmentId));
  expect(await tenant.faults()).toEqual(["operation_has_ledger_lines"]);
});

test("the rate of a charged fee does not change, and an ended rate does not restart", async () => {
  const tenant = await tenantAt(0);
  await tenant.create();
  for (const change of ["fee_basis_points = 10000", "fee_basis_points = null", "state = 'open'"]) {
    await expect(
      asJobs(`update operations set ${change} where environment_id = '${tenant.environmentId}'`),
    ).rejects.toThrow(/has ended stays so/);
  }
});

test("a payment without its rate, without its token, or at another price than its session's is found", async () => {
  const tenant = await tenantAt(290);
  const card = cardInput.parse({ number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" });
  const token = await testPaymentToken(testContext(tenant.service, tenant.merchant.test), { card });
  const { body } = await tenant.create({ payment_token: token.id });
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update operations set fee_basis_points = null, payment_token_id = null where environment_id = ${tenant.environmentId}`;
    await tx`
      with s as (
        insert into client_sessions (environment_id, id, token_sha256, status, amount, currency, capture_method, allowed_origins,
          metadata, payment_id, expires_at, created_at, updated_at)
        select environment_id, id, 'x', 'COMPLETED', amount + 1, currency, 'automatic', '{}', '{}', id, now(), created_at, now()
        from payments where id = ${decodeId("payment", body.id)} returning id)
      update transactions set client_session_id = s.id from s where environment_id = ${tenant.environmentId}`;
  });
  expect(await tenant.faults()).toEqual([
    "operation_has_ledger_lines",
    "sessions_match_payments",
    "tokens_match_payments",
  ]);
});

test("every change of a merchant's rate leaves an audit record, whatever statement made it", async () => {
  const tenant = await tenantAt(0);
  await asJobs(`update environments set fee_basis_points = 290 where id = '${tenant.environmentId}'`);
  await tenant.setRate(290);
  await tenant.setRate(150);
  const rows = await db.sql`
    select actor, object_id, detail->'changes' as changes from audit_log
    where environment_id = ${tenant.environmentId} and action = 'settings.fee_changed'
    order by (detail->'changes'->'fee_basis_points'->>0)::int`;
  const row = { actor: { type: "system", id: null }, object_id: tenant.merchant.id };
  expect(rows).toEqual([
    { ...row, changes: { fee_basis_points: ["0", "290"] } },
    { ...row, changes: { fee_basis_points: ["290", "150"] } },
  ]);
  expect(await tenant.faults()).toEqual([]);
});
