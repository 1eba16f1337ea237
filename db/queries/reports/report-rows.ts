import type { Sql, Transaction } from "@/db/client";
import { DISPUTE_ROWS, SUBSCRIPTION_ROWS } from "@/lib/contract/reports/report-sql";
import { type ReportRow, type ReportTotals, type ReportType, totalColumns } from "@/lib/contract/reports/report-types";
import { BATCH, type OpenExport, openExport } from "../export";
import { movementTable } from "../settlement/balance";
import type { Fragment } from "../statement-text";

/** A report whose rows are selected by SQL; a balance is composed from its statement. */
export type ListedReport = Exclude<ReportType, "balance">;

export type ReportRange = {
  readonly from: Date;
  readonly before: Date;
  readonly timeZone: string;
  readonly currency: string | undefined;
};

const EARNED = ["capture", "refund", "refund_reversal"] as const;
const DISPUTED = ["dispute", "dispute_return", "dispute_fee"] as const;
const LEAVING = ["payout", "payout_failure"] as const;

/** Rows of a report as a table expression, in no order. */
function rowsOf(sql: Sql, environmentId: string, type: ListedReport, range: ReportRange): Fragment {
  const { currency, from, before } = range;
  const movements = (types: Parameters<typeof movementTable>[2]["type"]) =>
    movementTable(sql, environmentId, { type: types, currency, from, before });
  switch (type) {
    case "activity":
      return sql`(
        select (created_at at time zone ${range.timeZone})::date::text as day, currency,
          (count(*) filter (where type = 'capture'))::int as captures,
          coalesce(sum(amount) filter (where type = 'capture'), 0)::float8 as gross,
          (count(*) filter (where type = 'refund'))::int as refund_count,
          coalesce(sum(-amount) filter (where type in ('refund', 'refund_reversal')), 0)::float8 as refunds,
          coalesce(sum(-amount) filter (where type = 'fee'), 0)::float8 as fees, sum(amount)::float8 as net,
          coalesce(sum(-amount) filter (where type in ('dispute', 'dispute_return')), 0)::float8 as disputes,
          coalesce(sum(-amount) filter (where type = 'dispute_fee'), 0)::float8 as dispute_fees
        from ${movements([...EARNED, "fee", ...DISPUTED])} m group by 1, 2
      )`;
    case "transactions":
      return sql`(
        select m.created_at as booked_at, m.operation_id, m.line, m.type, o.transaction_id, m.payment_id, m.currency,
          m.amount::bigint as amount, coalesce(f.amount, 0) as fee, (m.amount - coalesce(f.amount, 0))::bigint as net,
          t.customer_id, t.customer_email, t.customer_name, t.description
        from ${movements([...EARNED, ...DISPUTED])} m
        cross join lateral ${sourceOf(sql, environmentId)} o
        left join lateral (
          select t.customer_id, t.customer_email, t.customer_name, t.description from transactions t
          where t.environment_id = ${environmentId}::uuid and t.id = o.transaction_id limit 1
        ) t on true
        left join lateral ${lineOf(sql, environmentId, 2)} f on f.credit_account = 'fees'
      )`;
    case "fees":
      return sql`(
        select m.created_at as booked_at, m.operation_id, m.line, o.transaction_id, m.payment_id, m.currency,
          c.amount as captured, o.fee_basis_points::int as rate, (-m.amount)::bigint as fee
        from ${movements("fee")} m
        cross join lateral ${operationOf(sql, environmentId)} o
        cross join lateral ${lineOf(sql, environmentId, 1)} c
      )`;
    case "payouts":
      return sql`(
        select m.created_at as booked_at, m.operation_id, m.line, m.operation_id as payout_id, m.type as movement,
          u.arrival_date::text as arrival_date, i.settlement_batch_id, i.kind as type, i.id as transaction_id,
          i.payment_id, m.currency, (s.sign * i.amount)::bigint as amount, (s.sign * i.fee)::bigint as fee,
          (s.sign * (i.amount - i.fee))::bigint as net, i.dispute_id
        from ${movements(LEAVING)} m
        join payouts u on u.environment_id = ${environmentId}::uuid and u.id = m.operation_id
        cross join lateral (select case m.type when 'payout' then 1 else -1 end as sign) s
        cross join lateral (
          select b.id as settlement_batch_id, c.*, null::uuid as dispute_id
          from unnest(u.settlement_batch_ids) as b (id) cross join lateral ${itemsOf(sql, environmentId, sql`b.id`)} c
          union all
          select null, d.transaction_id, d.payment_id, case when a.amount > 0 then 'dispute_return' else 'dispute' end,
            a.amount, -a.fee, d.id
          from dispute_movements a
          join disputes d on d.environment_id = a.environment_id and d.id = a.dispute_id
          where a.environment_id = ${environmentId}::uuid and a.id = any(u.dispute_movement_ids)
        ) i
      )`;
    case "disputes":
    case "subscriptions":
      return sql`(
        select * from (${withValues(sql, environmentId, type === "disputes" ? DISPUTE_ROWS : SUBSCRIPTION_ROWS, range)}) listed
        ${currency === undefined ? sql`` : sql`where currency = ${currency}`}
      )`;
    default:
      return type satisfies never;
  }
}

/** The text of a report's SQL, with parameters in place of the names. */
function withValues(sql: Sql, environmentId: string, text: string, { from, before }: ReportRange): Fragment {
  const values: Record<string, Fragment> = {
    environment: sql`${environmentId}::uuid`,
    from: sql`${from}::timestamptz`,
    before: sql`${before}::timestamptz`,
  };
  const parts = text.split(/:(environment|from|before)\b/);
  return parts.reduce<Fragment>((whole, part) => sql`${whole}${values[part] ?? sql.unsafe(part)}`, sql``);
}

/**
 * The operation of a movement `m`, and one of its ledger lines. Looked up by key for each row: without statistics a
 * join may read all the environment's rows for each.
 */
const operationOf = (sql: Sql, environmentId: string): Fragment => sql`(
  select o.transaction_id, o.fee_basis_points from operations o
  where o.environment_id = ${environmentId}::uuid and o.id = m.operation_id limit 1
)`;
/** The transaction of a movement, which may be a dispute's. */
const sourceOf = (sql: Sql, environmentId: string): Fragment => sql`(
  (select o.transaction_id from operations o
  where o.environment_id = ${environmentId}::uuid and o.id = m.operation_id limit 1)
  union all
  (select d.transaction_id from dispute_movements a
  join disputes d on d.environment_id = a.environment_id and d.id = a.dispute_id
  where a.environment_id = ${environmentId}::uuid and a.id = m.operation_id limit 1)
)`;
const lineOf = (sql: Sql, environmentId: string, line: 1 | 2): Fragment => sql`(
  select l.amount, l.credit_account from ledger_entries l
  where l.environment_id = ${environmentId}::uuid and l.operation_id = m.operation_id and l.line = ${line}::smallint limit 1
)`;

/**
 * A batch's transactions with their share of its amounts, and the fee of their capture. Indexes:
 * `transactions_batch`, `transactions_reversal_batch`, `operations_payment`.
 */
const itemsOf = (sql: Sql, environmentId: string, batch: Fragment): Fragment => sql`(
  select t.id, t.payment_id, case t.type when 'CHARGE' then 'charge' else 'refund' end as kind,
    case t.type when 'CHARGE' then p.amount_captured else -t.amount end as amount,
    case t.type when 'CHARGE' then (
      select coalesce(sum(l.amount), 0) from operations o
      join ledger_entries l
        on l.environment_id = o.environment_id and l.operation_id = o.id and l.line = 2 and l.credit_account = 'fees'
      where o.environment_id = ${environmentId}::uuid and o.payment_id = t.payment_id) else 0 end as fee
  from transactions t
  join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
  where t.environment_id = ${environmentId}::uuid and t.settlement_batch_id = ${batch}
  union all
  select t.id, t.payment_id, 'reversal', t.amount, 0
  from transactions t
  where t.environment_id = ${environmentId}::uuid and t.reversal_batch_id = ${batch}
)`;

/** Total orders, so that the same rows give the same bytes. */
const ORDERS: Record<ListedReport, string> = {
  activity: "day, currency",
  transactions: "booked_at, operation_id, line",
  fees: "booked_at, operation_id, line",
  disputes: "opened_at, dispute_id",
  subscriptions: "started_at, subscription_id",
  payouts: "booked_at, operation_id, line, settlement_batch_id, transaction_id, type, dispute_id, amount",
};

/** The first rows, in the report's order. */
async function listReportRows(
  sql: Sql,
  environmentId: string,
  { type, limit, ...range }: ReportRange & { type: ListedReport; limit: number },
): Promise<ReportRow[]> {
  return await sql<ReportRow[]>`
    select * from ${rowsOf(sql, environmentId, type, range)} r order by ${sql.unsafe(ORDERS[type])} limit ${limit}::int`;
}

/** Number of rows and sums, by currency. */
export async function sumReport(
  sql: Sql,
  environmentId: string,
  { type, ...range }: ReportRange & { type: ListedReport },
): Promise<ReportTotals[]> {
  const names = totalColumns(type).map(({ name }) => name);
  const sums = names.map((name) => `sum(${name})::float8 as ${name}`).join(", ");
  const rows = await sql<({ currency: string; rows: number } & Record<string, number>)[]>`
    select currency, count(*)::float8 as rows, ${sql.unsafe(sums)}
    from ${rowsOf(sql, environmentId, type, range)} r group by currency order by currency`;
  return rows.map((row) => ({
    currency: row.currency,
    rows: row.rows,
    amounts: Object.fromEntries(names.map((name) => [name, row[name] as number])),
  }));
}

/** The first rows and the totals of all, in one snapshot: a running day may change between two statements. */
export const readReportPreview = (
  sql: Sql,
  environmentId: string,
  { type, limit, ...range }: ReportRange & { type: ListedReport; limit: number },
): Promise<{ rows: ReportRow[]; totals: ReportTotals[] }> =>
  sql.begin("isolation level repeatable read read only", async (tx: Transaction) => {
    const inside = tx as unknown as Sql;
    return {
      rows: await listReportRows(inside, environmentId, { ...range, type, limit }),
      totals: await sumReport(inside, environmentId, { ...range, type }),
    };
  });

/** All rows in one snapshot. Takes over `sql` and ends it. */
export const openReportRows = (
  sql: Sql,
  environmentId: string,
  { type, ...range }: ReportRange & { type: ListedReport },
): Promise<OpenExport<ReportRow>> =>
  openExport(sql, async (tx: Transaction) => {
    const inside = tx as unknown as Sql;
    const [counted] = await inside<[{ total: number }]>`
      select count(*) as total from ${rowsOf(inside, environmentId, type, range)} r`;
    return {
      total: Number(counted.total),
      cursor: inside<ReportRow[]>`
        select * from ${rowsOf(inside, environmentId, type, range)} r order by ${inside.unsafe(ORDERS[type])}`.cursor(
        BATCH,
      ),
    };
  });
