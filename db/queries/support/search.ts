import type { Sql } from "@/db/client";
import type { CardBrand, Mode } from "@/lib/contract/transactions/words";
import type { Fragment } from "../statement-text";

/** A search result from any environment. Columns its kind lacks are null. */
export type FoundRow = {
  /** UUID, or the idempotency key itself. */
  id: string;
  title: string | null;
  status: string | null;
  /** Minor units. */
  amount: number | null;
  currency: string | null;
  card_brand: CardBrand | null;
  card_last4: string | null;
  customer_email: string | null;
  payment_id: string | null;
  at: string | null;
  environment_id: string | null;
  mode: Mode | null;
  merchant_id: string | null;
  merchant_name: string | null;
};

/** Columns of a kind of object; all others are null. */
type Columns = Partial<Record<"title" | "status" | "amount" | "currency" | "payment_id", Fragment>>;

function columns(sql: Sql, { title, status, amount, currency, payment_id }: Columns): Fragment {
  const none = sql`null`;
  return sql`${title ?? none}::text as title, ${status ?? none}::text as status, ${amount ?? none}::bigint as amount,
    ${currency ?? none}::text as currency, null::text as card_brand, null::text as card_last4, null::text as customer_email,
    ${payment_id ?? none}::uuid as payment_id`;
}

/**
 * Searches environments one after the other, each by an index that starts with the environment:
 * `inEnvironment` selects from environment `e`. This avoids an extra index that would slow the money path; an
 * environment costs some microseconds.
 */
function everywhere(sql: Sql, inEnvironment: Fragment, limit: number): Promise<FoundRow[]> {
  return sql<FoundRow[]>`
    select x.*, e.id as environment_id, e.mode, m.id as merchant_id, m.name as merchant_name
    from environments e
    cross join lateral (${inEnvironment}) x
    join merchants m on m.id = e.merchant_id
    order by x.at desc, x.id desc
    limit ${limit}::int`;
}

/** Index: primary keys, here and below unless stated. */
export function findApiKeys(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  return everywhere(
    sql,
    sql`select k.id::text, ${columns(sql, { title: sql`k.name`, status: sql`k.status` })}, k.created_at as at
      from api_keys k where k.environment_id = e.id and k.id = ${id}::uuid`,
    limit,
  );
}

export function findPlans(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  const shown = { title: sql`p.name`, status: sql`p.status`, amount: sql`p.full_price`, currency: sql`p.currency` };
  return everywhere(
    sql,
    sql`select p.id::text, ${columns(sql, shown)}, p.created_at as at
      from plans p where p.environment_id = e.id and p.id = ${id}::uuid`,
    limit,
  );
}

export function findSubscriptions(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  const amount = sql`(s.plan ->> 'amount')::bigint * s.quantity`;
  const shown = { title: sql`s.plan ->> 'name'`, status: sql`s.status`, amount, currency: sql`s.currency` };
  return everywhere(
    sql,
    sql`select s.id::text, ${columns(sql, shown)}, s.created_at as at
      from subscriptions s where s.environment_id = e.id and s.id = ${id}::uuid and s.event_sequence > 0`,
    limit,
  );
}

export function findInvoices(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  const title = sql`'INV-' || lpad(i.number::text, 6, '0')`;
  const shown = { title, status: sql`i.status`, amount: sql`i.amount_due`, currency: sql`i.currency` };
  return everywhere(
    sql,
    sql`select i.id::text, ${columns(sql, shown)}, i.created_at as at
      from invoices i where i.environment_id = e.id and i.id = ${id}::uuid and i.event_sequence > 0`,
    limit,
  );
}

export function findDisputes(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  const shown = {
    status: sql`d.status`,
    amount: sql`d.amount`,
    currency: sql`d.currency`,
    payment_id: sql`d.payment_id`,
  };
  return everywhere(
    sql,
    sql`select d.id::text, ${columns(sql, shown)}, d.created_at as at
      from disputes d where d.environment_id = e.id and d.id = ${id}::uuid`,
    limit,
  );
}

export function findPaymentMethods(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  return everywhere(
    sql,
    sql`select p.id::text, 'Card of ' || p.customer_id as title,
        case when p.removed_at is null then 'ACTIVE' else 'REMOVED' end as status, null::bigint as amount,
        null::text as currency, p.card_brand::text, p.card_last4, null::text as customer_email, null::uuid as payment_id,
        p.created_at as at
      from payment_methods p where p.environment_id = e.id and p.id = ${id}::uuid`,
    limit,
  );
}

export function findClientSessions(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  const status = sql`case when s.status = 'OPEN' and s.expires_at <= now() then 'EXPIRED' else s.status end`;
  const shown = { status, amount: sql`s.amount`, currency: sql`s.currency`, payment_id: sql`s.payment_id` };
  return everywhere(
    sql,
    sql`select s.id::text, ${columns(sql, shown)}, s.created_at as at
      from client_sessions s where s.environment_id = e.id and s.id = ${id}::uuid`,
    limit,
  );
}

export function findSettlementBatches(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  const amount = sql`b.charge_amount - b.refund_amount + b.reversal_amount`;
  return everywhere(
    sql,
    sql`select b.id::text, ${columns(sql, { amount, currency: sql`b.currency` })}, b.created_at as at
      from settlement_batches b where b.environment_id = e.id and b.id = ${id}::uuid`,
    limit,
  );
}

export function findPayouts(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  const shown = { status: sql`p.status`, amount: sql`p.amount`, currency: sql`p.currency` };
  return everywhere(
    sql,
    sql`select p.id::text, ${columns(sql, shown)}, p.created_at as at
      from payouts p where p.environment_id = e.id and p.id = ${id}::uuid`,
    limit,
  );
}

export function findEvents(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  // A refund's event has the payment it belongs to.
  const payment_id = sql`coalesce((select p.id from payments p where p.environment_id = e.id and p.id = v.object_id),
    (select t.payment_id from transactions t where t.environment_id = e.id and t.id = v.object_id))`;
  return everywhere(
    sql,
    sql`select v.id::text, ${columns(sql, { title: sql`v.type`, payment_id })}, v.created_at as at
      from events v where v.environment_id = e.id and v.id = ${id}::uuid`,
    limit,
  );
}

export function findOperations(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  return everywhere(
    sql,
    sql`select o.id::text, ${operationColumns(sql)}, o.created_at as at
      from operations o where o.environment_id = e.id and o.id = ${id}::uuid`,
    limit,
  );
}

function operationColumns(sql: Sql): Fragment {
  return columns(sql, {
    title: sql`o.kind`,
    status: sql`o.state`,
    amount: sql`o.amount`,
    currency: sql`o.currency`,
    payment_id: sql`o.payment_id`,
  });
}

/**
 * Operations started by a request. An operation's id is created right after its request's, so only ids of the
 * next 30 s are checked: `beforeId` is the first id after that.
 */
export function findOperationsOfRequest(
  sql: Sql,
  requestId: string,
  beforeId: string,
  limit: number,
): Promise<FoundRow[]> {
  return everywhere(
    sql,
    sql`select o.id::text, ${operationColumns(sql)}, o.created_at as at
      from operations o
      where o.environment_id = e.id and o.id > ${requestId}::uuid and o.id < ${beforeId}::uuid
        and o.request_id = ${requestId}::uuid
      order by o.id limit ${limit}::int`,
    limit,
  );
}

/** Idempotency keys first used by a request, found by the request's time (index idempotency_keys_recent). */
export function findKeysOfRequest(
  sql: Sql,
  requestId: string,
  time: { from: string; until: string },
  limit: number,
): Promise<FoundRow[]> {
  return sql<FoundRow[]>`
    select k.key as id, ${columns(sql, { title: sql`k.operation_name`, status: sql`coalesce(k.status_code::text, k.state)`, payment_id: sql`o.payment_id` })},
      k.created_at as at, e.id as environment_id, e.mode, m.id as merchant_id, m.name as merchant_name
    from idempotency_keys k
    left join operations o on o.environment_id = k.environment_id and o.id = k.operation_id
    join environments e on e.id = k.environment_id
    join merchants m on m.id = e.merchant_id
    where k.created_at between ${time.from}::timestamptz and ${time.until}::timestamptz and k.request_id = ${requestId}::uuid
    limit ${limit}::int`;
}

/** A request with an API key, or a user's write or refused request. By primary key. */
export function findLoggedRequests(sql: Sql, requestId: string, limit: number): Promise<FoundRow[]> {
  const title = sql`r.method || ' ' || r.path || coalesce(': ' || r.detail, '')`;
  const status = sql`r.status || coalesce(' ' || r.code, '')`;
  return everywhere(
    sql,
    sql`select r.id::text, ${columns(sql, { title, status })}, r.created_at as at
      from request_log r
      where r.environment_id = e.id and r.id = ${requestId}::uuid`,
    limit,
  );
}

export function findIdempotencyKeys(sql: Sql, key: string, limit: number): Promise<FoundRow[]> {
  const status = sql`coalesce(k.status_code::text, k.state)`;
  return everywhere(
    sql,
    sql`select k.key as id, ${columns(sql, { title: sql`k.operation_name`, status, payment_id: sql`o.payment_id` })},
        k.created_at as at
      from idempotency_keys k
      left join operations o on o.environment_id = k.environment_id and o.id = k.operation_id
      where k.environment_id = e.id and k.key = ${key}`,
    limit,
  );
}

/** By primary key; a payment's description is on its charge. */
export function findPayments(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  return everywhere(
    sql,
    sql`select p.id::text, null::text as title, p.status::text, p.amount, p.currency, c.card_brand::text, c.card_last4,
        c.customer_email, p.id as payment_id, p.created_at as at
      from payments p
      join transactions c on c.environment_id = p.environment_id and c.id = p.charge_id
      where p.environment_id = e.id and p.id = ${id}::uuid`,
    limit,
  );
}

type TransactionClue = { by: "id" | "subscription"; uuid: string };

/**
 * The newest transactions in all environments. Ids come first, from the clue's index in each environment, and
 * only matching rows are read. Index: primary key, or transactions_subscription.
 */
export function findTransactions(sql: Sql, clue: TransactionClue, limit: number): Promise<FoundRow[]> {
  const column = clue.by === "id" ? sql`t.id` : sql`t.subscription_id`;
  return sql<FoundRow[]>`
    with hit as materialized (
      select e.id as environment_id, e.mode, e.merchant_id, h.id
      from environments e
      cross join lateral (
        select t.id from transactions t where t.environment_id = e.id and ${column} = ${clue.uuid}::uuid
        order by t.id desc limit ${limit}::int
      ) h
      order by h.id desc
      limit ${limit}::int
    )
    select t.id::text, t.type::text as title, t.status::text, t.amount, t.currency, t.card_brand::text, t.card_last4, t.customer_email,
      t.payment_id, t.created_at as at, h.environment_id, h.mode, m.id as merchant_id, m.name as merchant_name
    from hit h
    join transactions t on t.environment_id = h.environment_id and t.id = h.id
    join merchants m on m.id = h.merchant_id
    order by t.id desc`;
}

const none = (sql: Sql) => sql`null::uuid as environment_id, null::text as mode`;
const merchantStatus = (sql: Sql) => sql`case when m.suspended_at is null then 'active' else 'suspended' end`;

function findMerchantsWhere(sql: Sql, condition: Fragment, limit: number): Promise<FoundRow[]> {
  return sql<FoundRow[]>`
    select m.id::text, ${columns(sql, { title: sql`m.name`, status: merchantStatus(sql) })}, m.created_at as at, ${none(sql)},
      m.id as merchant_id, m.name as merchant_name
    from merchants m
    where ${condition}
    order by lower(m.name), m.id
    limit ${limit}::int`;
}

export const findMerchants = (sql: Sql, id: string, limit: number): Promise<FoundRow[]> =>
  findMerchantsWhere(sql, sql`m.id = ${id}::uuid`, limit);

/** By any part of the name. Scans all merchants, of which there are comparatively few. */
export function findMerchantsByName(sql: Sql, text: string, limit: number): Promise<FoundRow[]> {
  const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  return findMerchantsWhere(sql, sql`m.name ilike ${pattern}`, limit);
}

/** By primary key. */
export function findEnvironments(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  return sql<FoundRow[]>`
    select e.id::text, ${columns(sql, { title: sql`m.name`, status: merchantStatus(sql) })}, e.created_at as at,
      e.id as environment_id, e.mode, m.id as merchant_id, m.name as merchant_name
    from environments e join merchants m on m.id = e.merchant_id
    where e.id = ${id}::uuid
    limit ${limit}::int`;
}

/** Users of merchants, and staff. Index: primary key, or users_email. */
export function findUsers(sql: Sql, who: { id: string } | { email: string }, limit: number): Promise<FoundRow[]> {
  const condition = "id" in who ? sql`u.id = ${who.id}::uuid` : sql`lower(u.email) = lower(${who.email})`;
  const status = sql`case when u.locked_until > now() then 'locked' else u.role end`;
  return sql<FoundRow[]>`
    select u.id::text, ${columns(sql, { title: sql`u.email`, status })}, u.created_at as at, ${none(sql)},
      m.id as merchant_id, m.name as merchant_name
    from users u left join merchants m on m.id = u.merchant_id
    where ${condition}
    limit ${limit}::int`;
}
