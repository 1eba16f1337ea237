import { and, eq, sql as fragment, gt, isNull, or } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import { clientSessions, type PaymentLinkRow, paymentLinks } from "@/db/schema/checkout";
import type { ActorRecord } from "@/db/schema/operations";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { Mode } from "@/lib/contract/transactions/words";
import type { ClockColumns } from "../clock";

const byId = (environmentId: string, id: string) =>
  and(eq(paymentLinks.environment_id, environmentId), eq(paymentLinks.id, id));

export async function insertPaymentLink(
  orm: Orm,
  environmentId: string,
  link: Omit<PaymentLinkRow, "environment_id" | "session_id" | "session_token" | "opened">,
): Promise<PaymentLinkRow> {
  const rows = await orm
    .insert(paymentLinks)
    .values({ environment_id: environmentId, ...link })
    .returning();
  return rows[0] as PaymentLinkRow;
}

/** Locks the link until the transaction ends. */
export async function lockPaymentLink(orm: Orm, environmentId: string, id: string): Promise<PaymentLinkRow | null> {
  const rows = await orm.select().from(paymentLinks).where(byId(environmentId, id)).for("no key update");
  return rows[0] ?? null;
}

type LinkChanges = Partial<Pick<PaymentLinkRow, "name" | "description" | "expires_at" | "asks_email" | "active">>;

/** Updates a link that the caller has locked. */
export async function updatePaymentLink(
  orm: Orm,
  environmentId: string,
  id: string,
  changes: LinkChanges & { updated_at: string },
): Promise<PaymentLinkRow> {
  const rows = await orm.update(paymentLinks).set(changes).where(byId(environmentId, id)).returning();
  if (rows[0] === undefined) throw new Error(`payment link ${id} vanished while it was locked`);
  return rows[0];
}

/** Counts an opening of an active link. False if it is inactive or expired at `now`. */
export async function countOpening(orm: Orm, environmentId: string, id: string, now: string): Promise<boolean> {
  const rows = await orm
    .update(paymentLinks)
    .set({ opened: fragment`${paymentLinks.opened} + 1` })
    .where(
      and(
        byId(environmentId, id),
        eq(paymentLinks.active, true),
        or(isNull(paymentLinks.expires_at), gt(paymentLinks.expires_at, now)),
      ),
    )
    .returning({ id: paymentLinks.id });
  return rows.length === 1;
}

/** Replaces the payable session of a single-use link. False if its session is no longer `replaced`. */
export async function replaceLinkSession(
  orm: Orm,
  environmentId: string,
  id: string,
  replaced: string | null,
  session: { id: string; sealedToken: string },
): Promise<boolean> {
  const rows = await orm
    .update(paymentLinks)
    .set({ session_id: session.id, session_token: session.sealedToken })
    .where(
      and(
        byId(environmentId, id),
        replaced === null ? isNull(paymentLinks.session_id) : eq(paymentLinks.session_id, replaced),
      ),
    )
    .returning({ id: paymentLinks.id });
  return rows.length === 1;
}

/**
 * Condition that the session `s` of a single-use link is paid, or the subscription that it began was paid by
 * its invoice's own page.
 */
const isSold = (sql: Sql) => sql`(s.status = 'COMPLETED' or (
  select b.status not in ('INCOMPLETE', 'EXPIRED') from subscriptions b
  where b.environment_id = s.environment_id and b.id = s.subscription_id limit 1) is true)`;

/** A link with everything its public page shows. */
export type PublicLinkRow = PaymentLinkRow & {
  mode: Mode;
  merchant_id: string;
  merchant_name: string;
  merchant_time_zone: string;
  suspended: boolean;
  /** A user of the merchant has verified an e-mail address. */
  verified: boolean;
  checkout_appearance: Appearance | null;
  /** Set for a single-use link: it was sold, or its session has a payment in progress. */
  paid: boolean;
  under_way: boolean;
  logo_sha256: Buffer | null;
  logo_width: number | null;
  logo_height: number | null;
} & ClockColumns;

/** The link of a public URL. Indexes: `payment_links_token`, primary keys. */
export async function findPublicLink(sql: Sql, token: string): Promise<PublicLinkRow | null> {
  const [row] = await sql<PublicLinkRow[]>`
    select l.*, e.mode, e.merchant_id, e.clock_offset_ms, e.clock_frozen_at, e.checkout_appearance, m.name as merchant_name, m.time_zone as merchant_time_zone,
      m.suspended_at is not null as suspended,
      exists (select from users u where u.merchant_id = m.id and u.owns_email) as verified,
      coalesce(${isSold(sql)}, false) as paid, coalesce(s.open_payment_id is not null, false) as under_way,
      logo.sha256 as logo_sha256, logo.width as logo_width, logo.height as logo_height
    from payment_links l
    join environments e on e.id = l.environment_id
    join merchants m on m.id = e.merchant_id
    left join lateral (
      select sha256, width, height from merchant_logos where merchant_id = m.id limit 1
    ) logo on true
    left join lateral (
      select environment_id, status, open_payment_id, subscription_id from client_sessions
      where environment_id = l.environment_id and id = l.session_id limit 1
    ) s on true
    where l.token = ${token}`;
  return row ?? null;
}

/**
 * `sales`: its newest completed sessions, of which a free trial's has no payment; `captured`: amounts captured by
 * their payments, by currency.
 */
export type ListedLink = LinkWithState & {
  sales: number;
  captured: { currency: string; amount: number }[];
};

/** `sellingAt`, ISO 8601: only links that can be paid at that time. */
type LinkFilter = { sellingAt: string | null };

/** SQL condition for links a visitor can pay. */
function matching(sql: Sql, { sellingAt }: LinkFilter) {
  if (sellingAt === null) return sql`true`;
  return sql`l.active and (l.expires_at is null or l.expires_at > ${sellingAt}::timestamptz)
    and not exists (select from client_sessions s
      where s.environment_id = l.environment_id and s.id = l.session_id and ${isSold(sql)})
    and (l.plan_id is null or exists (select from plans p
      where p.environment_id = l.environment_id and p.id = l.plan_id and p.status = 'ACTIVE'))`;
}

/** `paid` is set for a single-use link. */
export type LinkWithState = PaymentLinkRow & { paid: boolean };

/** A link with totals of its newest sales, up to `maxSales`. Index: `client_sessions_payment_link`. */
const withSales = (sql: Sql, maxSales: number) => sql`
  select l.*, coalesce(${isSold(sql)}, false) as paid, coalesce(sales.count, 0)::int as sales,
    coalesce(sales.captured, '[]') as captured
  from payment_links l
  left join client_sessions s on s.environment_id = l.environment_id and s.id = l.session_id
  left join lateral (
    select sum(count) as count, json_agg(json_build_object('currency', currency, 'amount', amount) order by currency)
      filter (where currency is not null) as captured
    from (
      select p.currency, count(*) as count, sum(p.amount_captured)::bigint as amount
      from (
        select environment_id, payment_id from client_sessions
        where environment_id = l.environment_id and payment_link_id = l.id and status = 'COMPLETED'
        order by id desc limit ${maxSales}::int
      ) c
      left join payments p on p.environment_id = c.environment_id and p.id = c.payment_id
      group by p.currency
    ) by_currency
  ) sales on true`;

/** Newest first: descending primary key, whose UUIDv7 holds the creation time. */
export function listPaymentLinks(
  sql: Sql,
  environmentId: string,
  filter: LinkFilter,
  page: { limit: number; offset: number },
  maxSales: number,
): Promise<ListedLink[]> {
  return sql<ListedLink[]>`
    ${withSales(sql, maxSales)}
    where l.environment_id = ${environmentId}::uuid and ${matching(sql, filter)}
    order by l.id desc limit ${page.limit}::int offset ${page.offset}::int`;
}

/** Number of matches, counted no further than `limit`. */
export async function countPaymentLinks(
  sql: Sql,
  environmentId: string,
  filter: LinkFilter,
  limit: number,
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (
      select from payment_links l where l.environment_id = ${environmentId}::uuid and ${matching(sql, filter)} limit ${limit}::int
    ) found`;
  return row.count;
}

/** By primary key. */
export async function findLinkWithState(sql: Sql, environmentId: string, id: string): Promise<LinkWithState | null> {
  const [row] = await sql<LinkWithState[]>`
    select l.*, coalesce(${isSold(sql)}, false) as paid
    from payment_links l
    left join client_sessions s on s.environment_id = l.environment_id and s.id = l.session_id
    where l.environment_id = ${environmentId}::uuid and l.id = ${id}::uuid`;
  return row ?? null;
}

export async function findListedLink(
  sql: Sql,
  environmentId: string,
  id: string,
  maxSales: number,
): Promise<ListedLink | null> {
  const [row] = await sql<ListedLink[]>`
    ${withSales(sql, maxSales)} where l.environment_id = ${environmentId}::uuid and l.id = ${id}::uuid`;
  return row ?? null;
}

/** The actor who created a link; null if the record is gone. Index: `audit_log_object`. */
export async function findLinkCreator(sql: Sql, environmentId: string, id: string): Promise<ActorRecord | null> {
  const [row] = await sql<{ actor: ActorRecord }[]>`
    select actor from audit_log
    where environment_id = ${environmentId}::uuid and object_id = ${id}::uuid and action = 'payment_link.created'
    order by id limit 1`;
  return row?.actor ?? null;
}

/**
 * Deletes link sessions without a payment attempt one week after they expired; returns the number. A
 * single-use link's current session stays. Sessions expired over a month before that are not rechecked.
 * Index: `client_sessions_unpaid`.
 */
export async function deleteUntriedSessions(orm: Orm, limit: number): Promise<number> {
  const removed = await orm.execute(fragment`
    delete from ${clientSessions} where (environment_id, id) in (
      select s.environment_id, s.id from ${clientSessions} s
      where s.payment_link_id is not null and s.status <> 'COMPLETED' and s.attempts = 0 and s.open_payment_id is null
        and s.expires_at between now() - interval '37 days' and now() - interval '7 days'
        and not exists (select from ${paymentLinks} l
          where l.environment_id = s.environment_id and l.id = s.payment_link_id and l.session_id = s.id)
        and not exists (select from payment_tokens t
          where t.environment_id = s.environment_id and t.client_session_id = s.id)
        and not exists (select from transactions t
          where t.environment_id = s.environment_id and t.client_session_id = s.id and t.type = 'CHARGE')
      order by s.expires_at limit ${limit}::int for update of s skip locked)
    returning 1`);
  return removed.length;
}
