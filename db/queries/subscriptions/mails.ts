import { sql as builder } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import type { DeclineCode } from "@/lib/contract/errors";
import type { EventType } from "@/lib/contract/events/event";
import type { SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import type { CardBrand, Mode } from "@/lib/contract/transactions/words";
import type { Fragment } from "../statement-text";

/** Builds statements for either client. */
type Tag = (text: TemplateStringsArray, ...values: unknown[]) => Fragment;

/** True in SQL for an event `e` whose mail is switched on; `s`: the environment's settings, or nulls. */
const isMailed = (sql: Tag): Fragment => sql`case e.type
  when 'subscription.trial_will_end' then coalesce(s.mail_trial_ending, true)
  when 'invoice.paid' then coalesce(s.mail_receipt, true)
  when 'invoice.payment_failed' then coalesce(s.mail_payment_failed, true)
  when 'payment_method.expiring' then coalesce(s.mail_card_expiring, true)
  when 'subscription.cancelled' then coalesce(s.mail_cancelled, true)
  else false end`;

/**
 * Queues the mails of events, in the commit that writes them. `events`: a relation with `id` and `type`. What
 * is switched off at that moment is never mailed. Due immediately: a stored time is rounded to milliseconds, and
 * must not become one that is still to come.
 */
export const queueMails = (sql: Tag, environmentId: string, events: Fragment): Fragment => sql`
  insert into subscription_mails (environment_id, event_id, due_at)
  select ${environmentId}::uuid, e.id, date_trunc('milliseconds', now())
  from (${events}) e left join subscription_settings s on s.environment_id = ${environmentId}::uuid
  where ${isMailed(sql)}`;

/** Queues the mail of one event, in its transaction. */
export async function queueMail(
  tx: Orm,
  environmentId: string,
  { id, type }: { id: string; type: EventType },
): Promise<void> {
  const event = builder`select ${id}::uuid as id, ${type}::text as type`;
  const tag: Tag = (text, ...values) => builder(text, ...values) as unknown as Fragment;
  await tx.execute(queueMails(tag, environmentId, event as unknown as Fragment) as never);
}

export type DueMail = { environment_id: string; event_id: string };

/**
 * Due mails, oldest first, and only the oldest of each environment, so that none delays the others. The table
 * is nearly empty.
 */
export async function listDueMails(sql: Sql, page: { perEnvironment: number; limit: number }): Promise<DueMail[]> {
  return sql<DueMail[]>`
    select environment_id, event_id from (
      select q.environment_id, q.event_id, q.due_at,
        row_number() over (partition by q.environment_id order by q.due_at, q.event_id) as place
      from subscription_mails q
      join environments e on e.id = q.environment_id
      join merchants m on m.id = e.merchant_id and m.suspended_at is null
      where q.due_at <= now()) due
    where place <= ${page.perEnvironment}::int
    order by due_at, event_id limit ${page.limit}::int`;
}

/** The event to mail about, and its merchant. */
export type MailedEvent = {
  /** Milliseconds since it was queued, in real time. */
  age_ms: number;
  type: EventType;
  object_id: string;
  operation_id: string | null;
  data: unknown;
  created_at: string;
  mode: Mode;
  merchant_id: string;
  merchant_name: string;
  support_email: string | null;
};

/** Takes a mail off the queue; it returns if the transaction fails. Null: another process has written it. */
export async function takeMail(tx: Orm, { environment_id, event_id }: DueMail): Promise<MailedEvent | null> {
  const rows = await tx.execute<MailedEvent>(builder`
    with taken as (
      delete from subscription_mails
      where environment_id = ${environment_id}::uuid and event_id = ${event_id}::uuid
      returning created_at)
    select (extract(epoch from now() - taken.created_at) * 1000)::float8 as age_ms, v.type, v.object_id, v.operation_id, v.data,
      v.created_at, e.mode, m.id as merchant_id, m.name as merchant_name, m.support_email
    from taken
    join events v on v.environment_id = ${environment_id}::uuid and v.id = ${event_id}::uuid
    join environments e on e.id = v.environment_id
    join merchants m on m.id = e.merchant_id`);
  return rows[0] ?? null;
}

/** Tries a mail that failed again later. */
export async function postponeMail(sql: Sql, mail: DueMail, delayMs: number): Promise<void> {
  await sql`
    update subscription_mails set due_at = now() + ${delayMs}::int * interval '1 ms'
    where environment_id = ${mail.environment_id}::uuid and event_id = ${mail.event_id}::uuid`;
}

/**
 * A subscription as its mails need it. The language is that of the form in which the card was stored, or else
 * the environment's.
 */
export type MailedSubscription = {
  id: string;
  status: SubscriptionStatus;
  customer_email: string | null;
  time_zone: string;
  cancel_at_period_end: boolean;
  period_end_at: string;
  card_brand: CardBrand | null;
  card_last4: string | null;
  locale: CheckoutLocale;
};

/** SQL for the language of a subscription `s`, and the rows that it needs. */
export const SUBSCRIPTION_LOCALE = "coalesce(f.locale, e.document_locale) as locale";
export const SUBSCRIPTIONS_WITH_LOCALE = `subscriptions s
  join environments e on e.id = s.environment_id
  left join payment_methods c on c.environment_id = s.environment_id and c.id = s.payment_method_id
  left join client_sessions f on f.environment_id = c.environment_id and f.id = c.client_session_id`;

const MAILED = builder`
  select s.id, s.status, s.customer_email, s.time_zone, s.cancel_at_period_end, s.period_end_at, c.card_brand, c.card_last4,
    ${builder.raw(SUBSCRIPTION_LOCALE)}
  from ${builder.raw(SUBSCRIPTIONS_WITH_LOCALE)}`;

/** The language of a subscription's documents. By primary key. */
export async function findCustomerLocale(
  sql: Sql,
  environmentId: string,
  subscriptionId: string,
): Promise<CheckoutLocale | null> {
  const [row] = await sql<{ locale: CheckoutLocale }[]>`
    select ${sql.unsafe(SUBSCRIPTION_LOCALE)} from ${sql.unsafe(SUBSCRIPTIONS_WITH_LOCALE)}
    where s.environment_id = ${environmentId}::uuid and s.id = ${subscriptionId}::uuid`;
  return row?.locale ?? null;
}

export async function findMailedSubscription(
  tx: Orm,
  environmentId: string,
  id: string,
): Promise<MailedSubscription | null> {
  const rows = await tx.execute<MailedSubscription>(
    builder`${MAILED} where s.environment_id = ${environmentId}::uuid and s.id = ${id}::uuid`,
  );
  return rows[0] ?? null;
}

/**
 * The subscriptions that a card pays for, the next payment first; at most `limit`. Index:
 * `subscriptions_payment_method`.
 */
export async function listMailedSubscriptions(
  tx: Orm,
  environmentId: string,
  methodId: string,
  limit: number,
): Promise<MailedSubscription[]> {
  const rows = await tx.execute<MailedSubscription>(builder`${MAILED}
    where s.environment_id = ${environmentId}::uuid and s.payment_method_id = ${methodId}::uuid
      and s.status in ('TRIALING', 'ACTIVE', 'PAST_DUE') and s.customer_email is not null
    order by s.period_end_at, s.id limit ${limit}::int`);
  return [...rows];
}

/** A payment that failed, by its operation. */
export type FailedPayment = {
  initiator: "customer" | "merchant";
  decline_code: DeclineCode | null;
  card_brand: CardBrand | null;
  card_last4: string | null;
};

export async function findFailedPayment(
  tx: Orm,
  environmentId: string,
  operationId: string,
): Promise<FailedPayment | null> {
  const rows = await tx.execute<FailedPayment>(builder`
    select p.initiator, c.decline_code, c.card_brand, c.card_last4
    from operations o
    join payments p on p.environment_id = o.environment_id and p.id = o.payment_id
    join transactions c on c.environment_id = p.environment_id and c.id = p.charge_id
    where o.environment_id = ${environmentId}::uuid and o.id = ${operationId}::uuid`);
  return rows[0] ?? null;
}
