import { and, eq, gt, inArray, sql } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import { environments, merchants, users } from "@/db/schema/accounts";
import { receiptMails, receiptSettings, receipts } from "@/db/schema/receipts";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import type { TaxColumns } from "@/lib/contract/invoices/tax";
import type { ReceiptCause } from "@/lib/contract/receipts/receipts";
import type { CardBrand, Mode } from "@/lib/contract/transactions/words";
import { isoFromPostgres } from "../client";

export type NewReceipt = { payment_id: string; token: string; created_at: string };

/** Payment → receipt token: existing receipts, and new ones for the rest. By primary key. */
export async function ensureReceipts(
  orm: Orm,
  environmentId: string,
  wanted: readonly NewReceipt[],
): Promise<Map<string, string>> {
  if (wanted.length === 0) return new Map();
  await orm
    .insert(receipts)
    .values(wanted.map((receipt) => ({ environment_id: environmentId, ...receipt })))
    .onConflictDoNothing();
  const ids = wanted.map(({ payment_id }) => payment_id);
  const rows = await orm
    .select({ payment_id: receipts.payment_id, token: receipts.token })
    .from(receipts)
    .where(and(eq(receipts.environment_id, environmentId), inArray(receipts.payment_id, ids)));
  return new Map(rows.map(({ payment_id, token }) => [payment_id, token]));
}

export type ReceiptRow = {
  readonly environment_id: string;
  readonly payment_id: string;
  readonly mode: Mode;
  readonly checkout_appearance: Appearance | null;
  readonly merchant_name: string;
  readonly support_email: string | null;
  readonly business_address: string | null;
  readonly tax_number: string | null;
  readonly website: string | null;
  readonly time_zone: string;
  readonly logo_sha256: Buffer | null;
  readonly logo_width: number | null;
  readonly logo_height: number | null;
  readonly plan_name: string | null;
  readonly description: string | null;
  readonly currency: string;
  readonly amount_captured: number;
  readonly amount_refunded: number;
  readonly captured_at: string;
  readonly card_brand: CardBrand | null;
  readonly card_last4: string | null;
  readonly locale: CheckoutLocale;
  readonly invoice_number: number | null;
} & TaxColumns;

/**
 * Language of a payment's customer in SQL: of the form it was paid in, or else in which its card was stored, or
 * else the environment's. `s`, `k`: the sessions of those forms.
 */
const LOCALE = "coalesce(s.locale, k.locale, e.document_locale)";

/**
 * Contents of a receipt, by its token; null until something is captured. Indexes: `receipts_token`, primary
 * keys.
 */
export async function findReceipt(client: Sql, token: string): Promise<ReceiptRow | null> {
  const [row] = await client<ReceiptRow[]>`
    select r.environment_id, r.payment_id, e.mode, e.checkout_appearance, m.name as merchant_name, m.support_email, m.website,
      m.business_address, m.tax_number, m.time_zone, l.sha256 as logo_sha256, l.width as logo_width, l.height as logo_height, plan.name as plan_name,
      c.description, p.currency, p.amount_captured::float8, p.amount_refunded::float8,
      coalesce(c.captured_at, p.updated_at) as captured_at, c.card_brand, c.card_last4, ${client.unsafe(LOCALE)} as locale, i.number as invoice_number, p.tax_name, p.tax_rate
    from receipts r
    join environments e on e.id = r.environment_id
    join merchants m on m.id = e.merchant_id
    left join merchant_logos l on l.merchant_id = m.id
    join payments p on p.environment_id = r.environment_id and p.id = r.payment_id
    join transactions c on c.environment_id = r.environment_id and c.id = p.charge_id
    left join plans plan on plan.environment_id = r.environment_id and plan.id = c.plan_id
    left join invoices i on i.environment_id = r.environment_id and i.id = p.invoice_id
    left join client_sessions s on s.environment_id = r.environment_id and s.id = c.client_session_id
    left join payment_methods pm on pm.environment_id = r.environment_id and pm.id = p.payment_method_id
    left join client_sessions k on k.environment_id = r.environment_id and k.id = pm.client_session_id
    where r.token = ${token} and p.amount_captured > 0`;
  return row ? { ...row, captured_at: isoFromPostgres(row.captured_at) } : null;
}

export type ReceiptRefund = {
  readonly amount: number;
  readonly at: string;
  readonly pending: boolean;
  /** Number of its credit note; null while it is pending. */
  readonly number: number | null;
};

/** A payment's refunds except failed ones, oldest first. Indexes: `transactions_refunds`, the primary key. */
export async function listReceiptRefunds(
  client: Sql,
  environmentId: string,
  paymentId: string,
  limit: number,
): Promise<ReceiptRefund[]> {
  const rows = await client<ReceiptRefund[]>`
    select t.amount::float8, coalesce(t.refunded_at, t.created_at) as at, t.status = 'PENDING' as pending, n.number
    from transactions t
    left join credit_notes n on n.environment_id = t.environment_id and n.id = t.id
    where t.environment_id = ${environmentId}::uuid and t.payment_id = ${paymentId}::uuid and t.type = 'REFUND' and t.status <> 'FAILED'
    order by t.id limit ${limit}::int`;
  return rows.map((row) => ({ ...row, at: isoFromPostgres(row.at) }));
}

/** Settings of the environment; both are the same in test and live. */
export async function findReceiptSettings(
  orm: Orm,
  environmentId: string,
): Promise<{ on_capture: boolean; on_refund: boolean }> {
  const { captured_since, refunded_since, environment_id } = receiptSettings;
  const rows = await orm
    .select({
      on_capture: sql<boolean>`${captured_since} is not null`,
      on_refund: sql<boolean>`${refunded_since} is not null`,
    })
    .from(receiptSettings)
    .where(eq(environment_id, environmentId));
  return rows[0] ?? { on_capture: false, on_refund: false };
}

/**
 * Sets automatic receipts for all environments of a merchant. What is switched on applies from this
 * transaction; what is already on keeps its start. Switching on from off also moves the read position here,
 * so that nothing earlier is read.
 */
export async function switchReceipts(
  tx: Orm,
  merchantId: string,
  { on_capture, on_refund }: { on_capture: boolean; on_refund: boolean },
): Promise<void> {
  await tx.execute(sql`
    insert into receipt_settings as s (environment_id, captured_since, refunded_since, read_xid, read_id)
    select id, case when ${on_capture}::boolean then pg_current_xact_id() end, case when ${on_refund}::boolean then pg_current_xact_id() end,
      pg_current_xact_id(), '00000000-0000-0000-0000-000000000000'
    from ${environments} where merchant_id = ${merchantId}::uuid
    on conflict (environment_id) do update set
      captured_since = case when ${on_capture}::boolean then coalesce(s.captured_since, pg_current_xact_id()) end,
      refunded_since = case when ${on_refund}::boolean then coalesce(s.refunded_since, pg_current_xact_id()) end,
      read_xid = case when s.captured_since is null and s.refunded_since is null then excluded.read_xid else s.read_xid end,
      read_id = case when s.captured_since is null and s.refunded_since is null then excluded.read_id else s.read_id end`);
}

export type DocumentSettings = TaxColumns & { readonly document_locale: CheckoutLocale };

const documentColumns = {
  tax_name: environments.tax_name,
  tax_rate: environments.tax_rate,
  document_locale: environments.document_locale,
};

/** The tax and the language of an environment's documents; null if it does not exist. */
export async function findDocumentSettings(orm: Orm, environmentId: string): Promise<DocumentSettings | null> {
  const rows = await orm.select(documentColumns).from(environments).where(eq(environments.id, environmentId));
  return rows[0] ?? null;
}

/** The same, locked until the transaction ends. */
export async function lockDocumentSettings(tx: Orm, environmentId: string): Promise<DocumentSettings | null> {
  const rows = await tx
    .select(documentColumns)
    .from(environments)
    .where(eq(environments.id, environmentId))
    .for("no key update");
  return rows[0] ?? null;
}

export async function updateDocumentSettings(
  tx: Orm,
  environmentId: string,
  settings: DocumentSettings,
): Promise<void> {
  await tx.update(environments).set(settings).where(eq(environments.id, environmentId));
}

/**
 * Environments with events not yet read for receipts, in id order. Events of transactions that began after
 * one still running are left out, since that one may add events before them. Indexes: the primary key,
 * `events_stream`.
 */
export async function listEnvironmentsToRead(
  client: Sql,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  const rows = await client<{ environment_id: string }[]>`
    select s.environment_id from receipt_settings s
    join environments e on e.id = s.environment_id
    join merchants m on m.id = e.merchant_id and m.suspended_at is null
    cross join lateral (
      select id from events
      where environment_id = s.environment_id and (xid, id) > (s.read_xid, s.read_id)
        and xid < pg_snapshot_xmin(pg_current_snapshot())
      order by events.xid, id limit 1
    ) unread
    where (s.captured_since is not null or s.refunded_since is not null)
      and (${after}::uuid is null or s.environment_id > ${after}::uuid)
    order by s.environment_id limit ${limit}::int`;
  return rows.map(({ environment_id }) => environment_id);
}

/** The merchant's details for its mails, and the read position. */
export type ReadingRow = {
  mode: Mode;
  merchant_id: string;
  merchant_name: string;
  support_email: string | null;
  time_zone: string;
  captured_since: string | null;
  refunded_since: string | null;
  read_xid: string;
  read_id: string;
};

/** Locked until the transaction ends; null while another instance reads, or if receipts are off. */
export async function lockReading(tx: Orm, environmentId: string): Promise<ReadingRow | null> {
  const rows = await tx.execute<ReadingRow>(sql`
    select e.mode, m.id as merchant_id, m.name as merchant_name, m.support_email, m.time_zone, s.captured_since::text, s.refunded_since::text,
      s.read_xid::text, s.read_id
    from receipt_settings s
    join ${environments} e on e.id = s.environment_id
    join ${merchants} m on m.id = e.merchant_id
    where s.environment_id = ${environmentId}::uuid and (s.captured_since is not null or s.refunded_since is not null)
    for update of s skip locked`);
  return rows[0] ?? null;
}

export type ReadEvent = { id: string; xid: string; type: string; object_id: string };

/** The next events in transaction order. Index: `events_stream`. */
export async function listEventsAfter(
  tx: Orm,
  environmentId: string,
  { read_xid, read_id }: Pick<ReadingRow, "read_xid" | "read_id">,
  limit: number,
): Promise<ReadEvent[]> {
  const rows = await tx.execute<ReadEvent>(sql`
    select id, xid::text as xid, type, object_id from events
    where environment_id = ${environmentId}::uuid and (xid, id) > (${read_xid}::text::xid8, ${read_id}::uuid)
      and xid < pg_snapshot_xmin(pg_current_snapshot())
    order by events.xid, id limit ${limit}::int`);
  return [...rows];
}

export async function moveReading(tx: Orm, environmentId: string, { xid, id }: ReadEvent): Promise<void> {
  await tx.execute(sql`
    update receipt_settings set read_xid = ${xid}::text::xid8, read_id = ${id}::uuid where environment_id = ${environmentId}::uuid`);
}

/** A capture or refund as shown in its mail. */
export type MailedRow = {
  transaction_id: string;
  payment_id: string;
  is_refund: boolean;
  /** A refund that failed later. */
  is_failed: boolean;
  /** The payment is of a subscription's invoice. */
  is_of_invoice: boolean;
  /** The refund's, or the captured amount; minor units. */
  amount: number;
  currency: string;
  at: string;
  customer_email: string | null;
  card_brand: CardBrand | null;
  card_last4: string | null;
  locale: CheckoutLocale;
  /** Number of the refund's credit note; null for a capture. */
  credit_note: number | null;
  /** Number of the invoice that the payment paid. */
  invoice_number: number | null;
};

type WantedIds = "paymentIds" | "refundIds" | "failedIds";

/**
 * Payments by their charge, refunds, and failed refunds whose success was mailed. By primary key,
 * `receipt_mails_each`.
 */
export async function readMailed(
  tx: Orm,
  environmentId: string,
  { paymentIds = [], refundIds = [], failedIds = [] }: { readonly [ids in WantedIds]?: readonly string[] },
): Promise<MailedRow[]> {
  const list = (ids: readonly string[]) => sql`${`{${ids.join(",")}}`}::uuid[]`;
  const rows = await tx.execute<MailedRow>(sql`
    select t.id as transaction_id, p.id as payment_id, t.type = 'REFUND' as is_refund, wanted.is_failed,
      p.invoice_id is not null as is_of_invoice,
      (case when t.type = 'REFUND' then t.amount else p.amount_captured end)::float8 as amount, p.currency,
      coalesce(case when t.type = 'REFUND' then t.refunded_at else t.captured_at end, t.updated_at) as at,
      c.customer_email, c.card_brand, c.card_last4, ${sql.raw(LOCALE)} as locale, n.number as credit_note, i.number as invoice_number
    from (
      select charge_id as id, false as is_failed from payments
      where environment_id = ${environmentId}::uuid and id = any(${list(paymentIds)})
      union all select unnest(${list(refundIds)}), false
      union all select transaction_id, true from receipt_mails
      where environment_id = ${environmentId}::uuid and transaction_id = any(${list(failedIds)}) and cause = 'refunded'
    ) wanted
    cross join lateral (select * from transactions where environment_id = ${environmentId}::uuid and id = wanted.id offset 0) t
    cross join lateral (select * from payments where environment_id = ${environmentId}::uuid and id = t.payment_id offset 0) p
    cross join lateral (select * from transactions where environment_id = ${environmentId}::uuid and id = p.charge_id offset 0) c
    join environments e on e.id = ${environmentId}::uuid
    left join lateral (select locale from client_sessions where environment_id = ${environmentId}::uuid and id = c.client_session_id offset 0) s on true
    left join lateral (select f.locale from payment_methods m join client_sessions f on f.environment_id = m.environment_id and f.id = m.client_session_id
      where m.environment_id = ${environmentId}::uuid and m.id = p.payment_method_id offset 0) k on true
    left join lateral (select number from credit_notes where environment_id = ${environmentId}::uuid and id = t.id offset 0) n on true
    left join lateral (select number from invoices where environment_id = ${environmentId}::uuid and id = p.invoice_id offset 0) i on true
    where p.amount_captured > 0 and (t.status = 'FAILED') = wanted.is_failed`);
  return [...rows].map((row) => ({ ...row, at: isoFromPostgres(row.at) }));
}

type NewReceiptMail = {
  id: string;
  payment_id: string;
  transaction_id: string;
  cause: ReceiptCause;
  created_at: string;
};

/** False if this capture or refund was mailed before. Always true for mails that a user requests. */
export async function insertReceiptMail(tx: Orm, environmentId: string, mail: NewReceiptMail): Promise<boolean> {
  const rows = await tx
    .insert(receiptMails)
    .values({ environment_id: environmentId, ...mail })
    .onConflictDoNothing()
    .returning({ id: receiptMails.id });
  return rows.length > 0;
}

/**
 * Mails users requested within a day; locks the receipt until the transaction ends. Index:
 * receipt_mails_payment.
 */
export async function countRequestedMails(tx: Orm, environmentId: string, paymentId: string): Promise<number> {
  await tx
    .select({ token: receipts.token })
    .from(receipts)
    .where(and(eq(receipts.environment_id, environmentId), eq(receipts.payment_id, paymentId)))
    .for("update");
  return tx.$count(
    receiptMails,
    and(
      eq(receiptMails.environment_id, environmentId),
      eq(receiptMails.payment_id, paymentId),
      eq(receiptMails.cause, "requested"),
      gt(receiptMails.created_at, sql`now() - interval '1 day'`),
    ),
  );
}

/** Lowercase addresses that members of the team have verified. Index: users_merchant. */
export async function listTeamAddresses(orm: Orm, merchantId: string): Promise<Set<string>> {
  const rows = await orm
    .select({ email: sql<string>`lower(${users.email})` })
    .from(users)
    .where(and(eq(users.merchant_id, merchantId), sql`${users.email_verified_at} is not null`));
  return new Set(rows.map(({ email }) => email));
}
