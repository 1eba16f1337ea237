import type { Sql } from "@/db/client";
import type { LedgerAccount } from "@/db/schema/payments";
import type { MovementType } from "@/lib/contract/settlement/balance";
import { openPages, UNCAPPED } from "../export";

/**
 * Effect of each measure of the daily totals on the balance. A job folds changes into the totals and each
 * read adds the unfolded ones, so a balance is exact, costs the same after a million captures, and captures
 * never contend for a row.
 */
const PENDING = { captured: 1, refund_failed: 1, settled_back: 1, refunded: -1, fee: -1, settled: -1 };
const TAKEN = { disputed: -1, dispute_fee: -1, dispute_returned: 1, dispute_fee_returned: 1 };
const AVAILABLE = { settled: 1, payout_failed: 1, settled_back: -1, payout: -1, ...TAKEN };
const IN_PAYOUT = { payout: 1, payout_failed: -1, payout_paid: -1 };
const IN_DISPUTE = {
  ...{ disputed: 1, dispute_fee: 1, dispute_returned: -1, dispute_fee_returned: -1 },
  ...{ dispute_paid: -1, dispute_paid_back: 1 },
};
const MEASURES = [...new Set([PENDING, AVAILABLE, IN_PAYOUT, IN_DISPUTE].flatMap((account) => Object.keys(account)))];

const signed = (sql: Sql, account: Record<string, number>, when = "true") =>
  sql.unsafe(
    `coalesce(sum(case measure ${Object.entries(account)
      .map(([measure, sign]) => `when '${measure}' then ${sign === 1 ? "" : "-"}amount`)
      .join(" ")} end) filter (where ${when}), 0)::float8`,
  );

export type BalanceRow = {
  currency: string;
  pending: number;
  available: number;
  in_payout: number;
  in_dispute: number;
};

/** Balances by currency. Indexes: the primary key of daily_totals, `total_deltas_environment`. */
export async function readBalances(sql: Sql, environmentId: string): Promise<BalanceRow[]> {
  return await sql<BalanceRow[]>`
    select currency, ${signed(sql, PENDING)} as pending, ${signed(sql, AVAILABLE)} as available,
      ${signed(sql, IN_PAYOUT)} as in_payout, ${signed(sql, IN_DISPUTE)} as in_dispute
    from (
      select currency, measure, amount from daily_totals
      where environment_id = ${environmentId}::uuid and measure = any(${MEASURES}::text[])
      union all
      select currency, measure, amount from total_deltas
      where environment_id = ${environmentId}::uuid and measure = any(${MEASURES}::text[])
    ) facts
    group by currency order by currency`;
}

type Ends = {
  opening_pending: number;
  opening_available: number;
  opening_in_payout: number;
  opening_in_dispute: number;
};
type Sums = { captures: number; fees: number; refunds: number; refund_reversals: number; settlements: number };
type PayoutSums = { payouts: number; payout_failures: number; payouts_paid: number };
type DisputeSums = { disputes: number; dispute_fees: number; disputes_paid: number };
/**
 * The balance before a period, and the sum of each kind of movement within it. Amounts are positive, except
 * settlements and what more was returned of disputes than taken.
 */
export type StatementRow = { currency: string } & Ends & Sums & PayoutSums & DisputeSums;

/**
 * Statements by currency, between two instants. What precedes an instant is the daily totals before its day
 * in the merchant's zone, what is not folded yet, and the day's ledger lines up to it: never more than two days
 * of the ledger are read. Indexes: as for the balance, `ledger_entries_movements`.
 */
export async function readStatement(
  sql: Sql,
  environmentId: string,
  period: { from: Date; before: Date },
): Promise<StatementRow[]> {
  const within = (measure: string) =>
    sql`coalesce(sum(case when earlier then -amount else amount end) filter (where measure = ${measure}), 0)::float8`;
  return await sql<StatementRow[]>`
    with recursive ${known(sql, environmentId)},
    ends as (
      select at, earlier, m.time_zone, (at at time zone m.time_zone)::date as day
      from (values (${period.from}::timestamptz, true), (${period.before}::timestamptz, false)) as given (at, earlier)
      cross join environments e
      join merchants m on m.id = e.merchant_id
      where e.id = ${environmentId}::uuid
    )
    select currency, ${signed(sql, PENDING, "earlier")} as opening_pending,
      ${signed(sql, AVAILABLE, "earlier")} as opening_available, ${signed(sql, IN_PAYOUT, "earlier")} as opening_in_payout,
      ${signed(sql, IN_DISPUTE, "earlier")} as opening_in_dispute,
      ${within("captured")} as captures, ${within("fee")} as fees, ${within("refunded")} as refunds,
      ${within("refund_failed")} as refund_reversals, ${within("settled")} - ${within("settled_back")} as settlements,
      ${within("payout")} as payouts, ${within("payout_failed")} as payout_failures, ${within("payout_paid")} as payouts_paid,
      ${within("disputed")} - ${within("dispute_returned")} as disputes,
      ${within("dispute_fee")} - ${within("dispute_fee_returned")} as dispute_fees,
      ${within("dispute_paid")} - ${within("dispute_paid_back")} as disputes_paid
    from (
      select t.currency, t.measure, t.amount, ends.earlier from ends
      join daily_totals t on t.environment_id = ${environmentId}::uuid and t.measure = any(${MEASURES}::text[]) and t.day < ends.day
      union all
      select d.currency, d.measure, d.amount, ends.earlier from ends
      join total_deltas d on d.environment_id = ${environmentId}::uuid and d.measure = any(${MEASURES}::text[])
        and (d.occurred_at at time zone ends.time_zone)::date < ends.day
      union all
      select l.currency, ledger_measure(l.debit_account, l.credit_account, l.line), l.amount, ends.earlier from ends
      cross join (
        select currency from known where currency is not null
        union select currency from total_deltas where environment_id = ${environmentId}::uuid
      ) c
      cross join unnest(${STATEMENT_KINDS.map(({ debit }) => debit)}::text[], ${STATEMENT_KINDS.map(({ credit }) => credit)}::text[],
        ${STATEMENT_KINDS.map(({ line }) => String(line))}::text[]::smallint[]) as k (debit, credit, line)
      join ledger_entries l on l.environment_id = ${environmentId}::uuid and l.currency = c.currency
        and l.debit_account = k.debit and l.credit_account = k.credit and l.line = k.line
        and l.created_at >= ends.at - interval '2 days' and l.created_at < ends.at
        and (l.created_at at time zone ends.time_zone)::date = ends.day
    ) facts
    group by currency order by currency`;
}

type Kind = { type: MovementType; debit: LedgerAccount; credit: LedgerAccount; line: number; sign: 1 | -1 };

/**
 * Ledger lines that are movements of the merchant's balance: each kind is one range of
 * `ledger_entries_movements`.
 */
const KINDS: readonly Kind[] = [
  { type: "capture", debit: "processor_receivable", credit: "merchant_payable", line: 1, sign: 1 },
  { type: "fee", debit: "merchant_payable", credit: "fees", line: 2, sign: -1 },
  { type: "refund", debit: "merchant_payable", credit: "processor_receivable", line: 1, sign: -1 },
  { type: "refund_reversal", debit: "processor_receivable", credit: "merchant_payable", line: 2, sign: 1 },
  { type: "settlement", debit: "merchant_payable", credit: "merchant_available", line: 4, sign: 1 },
  { type: "settlement", debit: "merchant_available", credit: "merchant_payable", line: 4, sign: -1 },
  { type: "payout", debit: "merchant_available", credit: "merchant_in_payout", line: 1, sign: -1 },
  { type: "payout_failure", debit: "merchant_in_payout", credit: "merchant_available", line: 2, sign: 1 },
  { type: "dispute", debit: "merchant_available", credit: "disputes", line: 1, sign: -1 },
  { type: "dispute_return", debit: "disputes", credit: "merchant_available", line: 1, sign: 1 },
  { type: "dispute_fee", debit: "merchant_available", credit: "disputes", line: 2, sign: -1 },
  { type: "dispute_fee", debit: "disputes", credit: "merchant_available", line: 2, sign: 1 },
];

/** With the arrival at a bank, the merchant's or the cardholder's, which is no movement of the balance. */
const STATEMENT_KINDS: readonly Pick<Kind, "debit" | "credit" | "line">[] = [
  ...KINDS,
  { debit: "merchant_in_payout", credit: "bank", line: 2 },
  { debit: "disputes", credit: "bank", line: 3 },
  { debit: "disputes", credit: "bank", line: 4 },
  { debit: "bank", credit: "disputes", line: 3 },
  { debit: "bank", credit: "disputes", line: 4 },
];

export type MovementFilter = {
  readonly type?: MovementType | readonly MovementType[] | undefined;
  readonly currency?: string | undefined;
  /** First millisecond of the range, and the first one past it. */
  readonly from?: Date | undefined;
  readonly before?: Date | undefined;
};

/** A movement's position in the list. `of` is the operation, batch, payout or dispute movement of its line. */
export type MovementKey = { of: string; line: number };
export type MovementPlace = MovementKey & { created_at: string };
export type MovementRow = MovementPlace & {
  type: MovementType;
  currency: string;
  amount: number;
  transaction_id: string | null;
  dispute_id: string | null;
};

/** All currencies in use (one index lookup each), combined with the wanted kinds. */
function movementRanges(sql: Sql, environmentId: string, { type, currency }: MovementFilter) {
  const types = type === undefined ? null : [type].flat();
  const kinds = KINDS.filter((kind) => types === null || types.includes(kind.type));
  const currencies =
    currency === undefined
      ? sql`
        (select currency from known where currency is not null
        union
        select currency from total_deltas where environment_id = ${environmentId}::uuid)`
      : sql`(select ${currency}::text as currency)`;
  return sql`${currencies} c cross join unnest(
      ${kinds.map(({ type }) => type)}::text[], ${kinds.map(({ debit }) => debit)}::text[],
      ${kinds.map(({ credit }) => credit)}::text[], ${kinds.map(({ line }) => String(line))}::text[]::smallint[],
      ${kinds.map(({ sign }) => String(sign))}::text[]::integer[]) as k(type, debit, credit, line, sign)`;
}

const known = (sql: Sql, environmentId: string) => sql`
  known as (
    (select currency from daily_totals where environment_id = ${environmentId}::uuid order by currency limit 1)
    union all
    select (select currency from daily_totals
      where environment_id = ${environmentId}::uuid and currency > k.currency order by currency limit 1)
    from known k where k.currency is not null
  )`;

const inRange = (sql: Sql, environmentId: string, { from, before }: MovementFilter) => sql`
  l.environment_id = ${environmentId}::uuid and l.currency = c.currency and l.debit_account = k.debit
  and l.credit_account = k.credit and l.line = k.line
  ${from === undefined ? sql`` : sql`and l.created_at >= ${from}`}
  ${before === undefined ? sql`` : sql`and l.created_at < ${before}`}`;

/** All matching movements as a table expression, in no order. Index: `ledger_entries_movements`. */
export const movementTable = (sql: Sql, environmentId: string, filter: MovementFilter) => sql`(
  with recursive ${known(sql, environmentId)}
  select k.type, k.sign * m.amount as amount, c.currency, m.operation_id, m.payment_id, m.line, m.created_at
  from ${movementRanges(sql, environmentId, filter)}
  cross join lateral (
    select l.operation_id, l.line, l.payment_id, l.amount, l.created_at from ledger_entries l
    where ${inRange(sql, environmentId, filter)}
  ) m
)`;

/**
 * Newest first: the first rows of each range, merged, so that a filter reads at most one page per kind and
 * currency. Indexes: `ledger_entries_movements`, and the primary keys of operations and dispute movements.
 */
export async function listMovements(
  sql: Sql,
  environmentId: string,
  filter: MovementFilter,
  page: { limit: number; offset: number; after: MovementPlace | null },
): Promise<MovementRow[]> {
  const { limit, offset, after } = page;
  const afterCondition =
    after === null
      ? sql``
      : sql`and (l.created_at, l.operation_id) <= (${after.created_at}::timestamptz, ${after.of}::uuid)
          and (l.created_at, l.operation_id, l.line) < (${after.created_at}::timestamptz, ${after.of}::uuid, ${after.line}::smallint)`;
  return await sql<MovementRow[]>`
    with recursive ${known(sql, environmentId)},
    page as materialized (
      select k.type, k.sign * m.amount as amount, c.currency, m.operation_id, m.line, m.created_at
      from ${movementRanges(sql, environmentId, filter)}
      cross join lateral (
        select l.operation_id, l.line, l.amount, l.created_at from ledger_entries l
        where ${inRange(sql, environmentId, filter)} ${afterCondition}
        order by l.created_at desc, l.operation_id desc limit ${limit + offset}
      ) m
      order by m.created_at desc, m.operation_id desc, m.line desc limit ${limit} offset ${offset}
    )
    select p.type, p.amount, p.currency, p.operation_id as of, p.line, p.created_at, o.transaction_id, d.dispute_id
    from page p
    left join operations o on o.environment_id = ${environmentId}::uuid and o.id = p.operation_id
    left join dispute_movements d on d.environment_id = ${environmentId}::uuid and d.id = p.operation_id
    order by p.created_at desc, p.operation_id desc, p.line desc`;
}

export const openMovementExport = (sql: Sql, environmentId: string, filter: MovementFilter) =>
  openPages<MovementRow>(sql, {
    count: (tx) => countMovements(tx, environmentId, filter, UNCAPPED),
    page: (tx, after, limit) => listMovements(tx, environmentId, filter, { limit, offset: 0, after }),
  });

/** Number of matches, counted no further than `limit`. Index: `ledger_entries_movements`. */
export async function countMovements(
  sql: Sql,
  environmentId: string,
  filter: MovementFilter,
  limit: number,
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    with recursive ${known(sql, environmentId)}
    select count(*) as count from (
      select from ${movementRanges(sql, environmentId, filter)}
      cross join lateral (
        select from ledger_entries l where ${inRange(sql, environmentId, filter)} limit ${limit}
      ) m
      limit ${limit}) found`;
  return row.count;
}

/** Null if there is no such movement. By primary key. */
export async function findMovement(
  sql: Sql,
  environmentId: string,
  { of, line }: MovementKey,
): Promise<MovementPlace | null> {
  const [row] = await sql<(MovementPlace & { debit: string; credit: string })[]>`
    select operation_id as of, line, created_at, debit_account as debit, credit_account as credit from ledger_entries
    where environment_id = ${environmentId}::uuid and operation_id = ${of}::uuid and line = ${line}::smallint`;
  const isMovement = KINDS.some(
    (kind) => kind.debit === row?.debit && kind.credit === row.credit && kind.line === line,
  );
  return row && isMovement ? { of: row.of, line: row.line, created_at: row.created_at } : null;
}
