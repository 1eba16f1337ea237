import { and, eq, gt, isNull, lt, sql } from "drizzle-orm";
import type { Orm, Sql, Transaction } from "@/db/client";
import { environments } from "@/db/schema/accounts";
import { type ClientSessionRow, clientSessions, paymentLinks } from "@/db/schema/checkout";
import type { PlanRow } from "@/db/schema/plans";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import { MAX_SESSION_ATTEMPTS } from "@/lib/contract/checkout/attempts";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import type { DeclineCode } from "@/lib/contract/errors";
import type { Consent } from "@/lib/contract/payment-methods/payment-method";
import type { NextAction, PaymentStatus } from "@/lib/contract/payments/payment";
import type { InvoiceStatus, SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import type { Mode } from "@/lib/contract/transactions/words";
import type { ClockColumns } from "../clock";

const byId = (environmentId: string, id: string) =>
  and(eq(clientSessions.environment_id, environmentId), eq(clientSessions.id, id));

/** Columns of a new session; those that the form's attempts write are left out. */
export type NewClientSession = Omit<
  typeof clientSessions.$inferInsert,
  | ("environment_id" | "attempts" | "locale" | "payment_id" | "open_payment_id" | "tells_expiry")
  | ("payment_method_id" | "card_check" | "consent")
>;

export async function insertClientSession(
  orm: Orm,
  environmentId: string,
  session: NewClientSession,
): Promise<ClientSessionRow> {
  const rows = await orm
    .insert(clientSessions)
    .values({ environment_id: environmentId, ...session })
    .returning();
  return rows[0] as ClientSessionRow;
}

export async function findClientSession(sql: Sql, environmentId: string, id: string): Promise<ClientSessionRow | null> {
  const [row] = await sql<ClientSessionRow[]>`
    select * from client_sessions where environment_id = ${environmentId}::uuid and id = ${id}::uuid`;
  return row ?? null;
}

/**
 * The session in which the payment is in progress; null once it is not. Nothing changes such a session until
 * its payment ends, so what is read here still holds when the outcome is written.
 */
export async function findSessionUnderWay(
  sql: Sql | Transaction,
  environmentId: string,
  id: string,
  paymentId: string,
): Promise<ClientSessionRow | null> {
  const [row] = await sql<ClientSessionRow[]>`
    select * from client_sessions
    where environment_id = ${environmentId}::uuid and id = ${id}::uuid and open_payment_id = ${paymentId}::uuid`;
  return row ?? null;
}

/** Locks the session until the transaction ends. */
export async function lockClientSession(orm: Orm, environmentId: string, id: string): Promise<ClientSessionRow | null> {
  const rows = await orm.select().from(clientSessions).where(byId(environmentId, id)).for("update");
  return rows[0] ?? null;
}

/**
 * Cancels an open session without a payment in progress; null for any other. A session expired at `now`
 * counts as closed unless `evenExpired`.
 */
export async function cancelOpenClientSession(
  orm: Orm,
  environmentId: string,
  id: string,
  now: string,
  { evenExpired }: { evenExpired: boolean },
): Promise<ClientSessionRow | null> {
  const rows = await orm
    .update(clientSessions)
    .set({ status: "CANCELLED", updated_at: now })
    .where(
      and(
        byId(environmentId, id),
        eq(clientSessions.status, "OPEN"),
        isNull(clientSessions.open_payment_id),
        evenExpired ? undefined : gt(clientSessions.expires_at, now),
      ),
    )
    .returning();
  return rows[0] ?? null;
}

type ShopperDetails = {
  locale?: CheckoutLocale | undefined;
  customer_email?: string | undefined;
  consent?: Consent | undefined;
};

/** Stores what the form knows of the shopper at an attempt, unless the session has a payment or is closed. */
export async function noteShopper(orm: Orm, environmentId: string, id: string, details: ShopperDetails): Promise<void> {
  if (Object.values(details).every((detail) => detail === undefined)) return;
  await orm
    .update(clientSessions)
    .set(details)
    .where(and(byId(environmentId, id), eq(clientSessions.status, "OPEN"), isNull(clientSessions.open_payment_id)));
}

/**
 * Counts an attempt that creates no payment. False if the session is paid, closed, busy with a payment or out
 * of attempts. Attempts that pay are counted in the statement that creates the payment.
 */
export async function countClientSessionAttempt(orm: Orm, environmentId: string, id: string): Promise<boolean> {
  const rows = await orm
    .update(clientSessions)
    .set({ attempts: sql`${clientSessions.attempts} + 1`, updated_at: sql`clock_now(${environmentId}::uuid)` })
    .where(
      and(
        byId(environmentId, id),
        eq(clientSessions.status, "OPEN"),
        isNull(clientSessions.open_payment_id),
        gt(clientSessions.expires_at, sql`clock_now(${environmentId}::uuid)`),
        lt(clientSessions.attempts, MAX_SESSION_ATTEMPTS),
        // Like an attempt that pays, it requires that the link that opened the session is active.
        sql`(${clientSessions.payment_link_id} is null or exists (select from ${paymentLinks} l
          where l.environment_id = ${clientSessions.environment_id} and l.id = ${clientSessions.payment_link_id}
            and l.active and (l.expires_at is null or l.expires_at > clock_now(${environmentId}::uuid))
            and (not l.single_use or l.session_id = ${clientSessions.id})))`,
      ),
    )
    .returning({ id: clientSessions.id });
  return rows.length === 1;
}

/** A session with everything its payment form shows. */
export type CheckoutRow = ClientSessionRow & {
  environment_mode: Mode;
  merchant_id: string;
  merchant_name: string;
  merchant_time_zone: string;
  suspended: boolean;
  /** A user of the merchant has verified an e-mail address. */
  verified: boolean;
  checkout_appearance: Appearance | null;
  /** The plan's current state; null without a plan. */
  plan: Pick<
    PlanRow,
    | "name"
    | "status"
    | "type"
    | "full_price"
    | "billing_frequency_value"
    | "billing_frequency_unit"
    | "trial_period_value"
    | "trial_period_unit"
    | "trial_price"
  > | null;
  /** The link that opened it; null without one. */
  link: { id: string; active: boolean; expired: boolean; asks_email: boolean } | null;
  /** Fields of the session's newest payment; null before the first. */
  last_payment_id: string | null;
  last_payment_status: PaymentStatus | null;
  last_next_action: NextAction | null;
  last_decline_code: DeclineCode | null;
  logo_sha256: Buffer | null;
  logo_width: number | null;
  logo_height: number | null;
} & ClockColumns &
  CheckoutBilling;

/** Subscription and invoice of a session. */
type CheckoutBilling = {
  /** Status of the subscription that its plan began; null before that. */
  begun_status: SubscriptionStatus | null;
  /**
   * Status of the invoice that it pays: the named one, or that of the subscription begun; null without one.
   */
  invoice_status: InvoiceStatus | null;
  /** Currency of the subscription that it begins, pays or gives a card; null without one. */
  subscription_currency: string | null;
};

/**
 * The session of a token's digest. Indexes: `client_sessions_token`, `transactions_client_session`, primary
 * keys. Laterals keep each join a key lookup: forms poll every two seconds, also with plans made on empty
 * tables.
 */
export async function findCheckoutRow(sql: Sql, tokenSha256: Buffer): Promise<CheckoutRow | null> {
  const [row] = await sql<CheckoutRow[]>`
    select s.*, e.mode as environment_mode, e.merchant_id, e.clock_offset_ms, e.clock_frozen_at, e.checkout_appearance, m.name as merchant_name,
      m.time_zone as merchant_time_zone, m.suspended_at is not null as suspended,
      exists (select from users u where u.merchant_id = m.id and u.owns_email) as verified,
      plan.plan, link.link, p.id as last_payment_id, p.status as last_payment_status, p.next_action as last_next_action,
      l.sha256 as logo_sha256, l.width as logo_width, l.height as logo_height,
      t.decline_code as last_decline_code
    from client_sessions s
    join environments e on e.id = s.environment_id
    join merchants m on m.id = e.merchant_id
    left join lateral (
      select sha256, width, height from merchant_logos where merchant_id = m.id limit 1
    ) l on true
    left join lateral (
      select json_build_object('name', name, 'status', status, 'type', type, 'full_price', full_price,
        'billing_frequency_value', billing_frequency_value, 'billing_frequency_unit', billing_frequency_unit,
        'trial_period_value', trial_period_value, 'trial_period_unit', trial_period_unit, 'trial_price', trial_price) as plan
      from plans where environment_id = s.environment_id and id = s.plan_id limit 1
    ) plan on true
    left join lateral (
      select json_build_object('id', id, 'active', active, 'expired', coalesce(expires_at <= clock_now(s.environment_id), false), 'asks_email', asks_email) as link
      from payment_links where environment_id = s.environment_id and id = s.payment_link_id limit 1
    ) link on true
    left join lateral (
      select payment_id, decline_code from transactions
      where environment_id = s.environment_id and client_session_id = s.id and type = 'CHARGE'
      order by id desc limit 1
    ) t on true
    left join lateral (
      select id, status, next_action from payments
      where environment_id = s.environment_id and id = coalesce(s.payment_id, s.open_payment_id, t.payment_id)
      limit 1
    ) p on true
    where s.token_sha256 = ${tokenSha256}`;
  return row ? { ...row, ...(await readBilling(sql, row)) } : null;
}

/** Reads a session's subscription and invoice. Most sessions have neither and need no further statement. */
async function readBilling(sql: Sql, session: ClientSessionRow): Promise<CheckoutBilling> {
  const none = { begun_status: null, invoice_status: null, subscription_currency: null };
  if (session.subscription_id === null && session.invoice_id === null) return none;
  const begins = session.bought_plan !== null;
  const [row] = await sql<CheckoutBilling[]>`
    with sub as materialized (
      select status, currency, latest_invoice_id from subscriptions
      where environment_id = ${session.environment_id}::uuid and id = ${session.subscription_id}::uuid
    )
    select case when ${begins}::boolean then (select status from sub) end as begun_status,
      (select currency from sub) as subscription_currency,
      (
        select status from invoices
        where environment_id = ${session.environment_id}::uuid and id = coalesce(${session.invoice_id}::uuid,
          case when ${begins}::boolean then (select latest_invoice_id from sub) end)
      ) as invoice_status`;
  return row ?? none;
}

type CheckoutSettings = { checkout_appearance: Appearance | null };

const columns = { checkout_appearance: environments.checkout_appearance };

/** An environment's payment form settings; null if the environment does not exist. */
export async function findCheckoutSettings(orm: Orm, environmentId: string): Promise<CheckoutSettings | null> {
  const rows = await orm.select(columns).from(environments).where(eq(environments.id, environmentId));
  return rows[0] ?? null;
}

/** The same, locked until the transaction ends. */
export async function lockCheckoutSettings(tx: Orm, environmentId: string): Promise<CheckoutSettings | null> {
  const rows = await tx
    .select(columns)
    .from(environments)
    .where(eq(environments.id, environmentId))
    .for("no key update");
  return rows[0] ?? null;
}

export async function updateCheckoutSettings(
  tx: Orm,
  environmentId: string,
  settings: CheckoutSettings,
): Promise<void> {
  await tx.update(environments).set(settings).where(eq(environments.id, environmentId));
}
