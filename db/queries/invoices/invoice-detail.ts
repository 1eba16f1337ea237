import type { Sql, Transaction } from "@/db/client";
import type { ActorRecord } from "@/db/schema/operations";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import type { DeclineCode } from "@/lib/contract/errors";
import type { EventType } from "@/lib/contract/events/event";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import type { CardBrand } from "@/lib/contract/transactions/words";
import { type ActorNames, readActorNames } from "../payments/payment-detail";
import { findInvoice, findSubscription, runOn } from "../subscriptions/rows";

/** Max length of each list; the latest entries are shown. */
const INVOICE_DETAIL_LIMIT = 50;

type InvoicePaymentRow = {
  id: string;
  status: PaymentStatus;
  amount: number;
  currency: string;
  card_brand: CardBrand | null;
  card_last4: string | null;
  decline_code: DeclineCode | null;
  created_at: string;
  /** Actor of its first operation. */
  actor: ActorRecord;
};

export type InvoiceEventRow = {
  id: string;
  type: EventType;
  created_at: string;
  /** The payment whose outcome it reports. */
  payment_id: string | null;
  /** State at the time of the event. */
  next_attempt_at: string | null;
};

type InvoiceActRow = { action: string; actor: ActorRecord };

export type InvoiceDetailRows = {
  invoice: InvoiceRow;
  subscription: SubscriptionRow;
  /** Oldest first. */
  payments: InvoicePaymentRow[];
  /** Oldest first. */
  events: InvoiceEventRow[];
  acts: InvoiceActRow[];
  actors: ActorNames;
};

/** An invoice with its payments and history in one snapshot; null if callers can't see it. By keys. */
export async function readInvoiceDetail(
  sql: Sql,
  environment: { id: string; merchantId: string },
  invoiceId: string,
): Promise<InvoiceDetailRows | null> {
  return sql.begin("isolation level repeatable read read only", async (tx): Promise<InvoiceDetailRows | null> => {
    const run = runOn(tx);
    const invoice = await findInvoice(run, environment.id, invoiceId);
    if (!invoice || invoice.event_sequence === 0) return null;
    const subscription = await findSubscription(run, environment.id, invoice.subscription_id);
    if (!subscription) throw new Error(`invoice ${invoiceId} has no subscription`);
    const [payments, events, acts] = await Promise.all([
      listPayments(tx, environment.id, invoice),
      listEvents(tx, environment.id, invoiceId),
      listActs(tx, environment.id, invoiceId),
    ]);
    const actors = await readActorNames(
      tx,
      environment,
      [...payments, ...acts].map(({ actor }) => actor),
    );
    return { invoice, subscription, payments: [...payments], events: [...events], acts: [...acts], actors };
  }) as Promise<InvoiceDetailRows | null>;
}

/** Indexes: primary keys, `operations_payment`. */
function listPayments(tx: Transaction, environmentId: string, { payment_ids }: InvoiceRow) {
  const ids = payment_ids.slice(-INVOICE_DETAIL_LIMIT);
  return tx<InvoicePaymentRow[]>`
    select p.id, p.status, p.amount, p.currency, c.card_brand, c.card_last4, c.decline_code, p.created_at, o.actor
    from unnest(${ids}::uuid[]) as given(id)
    join payments p on p.environment_id = ${environmentId}::uuid and p.id = given.id
    join transactions c on c.environment_id = ${environmentId}::uuid and c.id = p.charge_id
    cross join lateral (
      select actor from operations
      where environment_id = ${environmentId}::uuid and payment_id = given.id order by id limit 1
    ) o
    order by p.id`;
}

/** Indexes: `events_object`, the primary key of operations. */
function listEvents(tx: Transaction, environmentId: string, invoiceId: string) {
  return tx<InvoiceEventRow[]>`
    select e.id, e.type, e.created_at, o.payment_id, (e.data #>> '{object,next_attempt_at}') as next_attempt_at
    from (
      select * from events
      where environment_id = ${environmentId}::uuid and object_id = ${invoiceId}::uuid
      order by sequence desc limit ${INVOICE_DETAIL_LIMIT}::int
    ) e
    left join operations o on o.environment_id = ${environmentId}::uuid and o.id = e.operation_id
    order by e.sequence`;
}

/** Index: `audit_log_object`. */
function listActs(tx: Transaction, environmentId: string, invoiceId: string) {
  return tx<InvoiceActRow[]>`
    select action, actor from audit_log
    where environment_id = ${environmentId}::uuid and object_id = ${invoiceId}::uuid
    order by id desc limit ${INVOICE_DETAIL_LIMIT}::int`;
}
