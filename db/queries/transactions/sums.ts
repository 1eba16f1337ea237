import type { Sql } from "@/db/client";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { Parameters, runText } from "../statement-text";
import { type TransactionFilter, type TransactionPage, windowText } from "./page";

/** Minor units. */
export type SumRow = {
  currency: string;
  gross: number;
  refunded: number;
  fees: number;
  rows: number;
  capped: boolean;
};

/**
 * Sums of a list's first rows by currency, up to the cap of totals. Rows are found like a page's
 * (`transactionPageText`), then each row, payment and fee is looked up by key. Exact up to 2^53. If all rows
 * are charges, refunds count with their charge, else as rows.
 */
export function sumTransactions(
  sql: Sql,
  environmentId: string,
  filter: TransactionFilter,
  order: Pick<TransactionPage, "sort" | "order">,
): Promise<SumRow[]> {
  const parameters = new Parameters();
  const environment = parameters.add(environmentId);
  const window = windowText(parameters, environment, filter, { ...order, limit: TOTAL_CAP, offset: 0 });
  return runText<SumRow>(sql, { text: sumsText(environment, window), parameters, prepare: false });
}

/** The same for chosen transactions, by their keys. */
export function sumChosenTransactions(sql: Sql, environmentId: string, ids: readonly string[]): Promise<SumRow[]> {
  const parameters = new Parameters();
  const environment = parameters.add(environmentId);
  const chosen = `select id from transactions where environment_id = ${environment} and id ${parameters.oneOf(ids)}`;
  return runText<SumRow>(sql, { text: sumsText(environment, chosen), parameters, prepare: false });
}

/**
 * Indexes: `operations_payment` for the operation; the ledger's key for its fee, the second line of a
 * capture.
 */
const sumsText = (environment: string, rows: string) => `
with found as (select id, row_number() over () as n from (${rows}) page)
select t.currency, count(*)::int as rows, coalesce(sum(p.amount_captured), 0)::float8 as gross,
  coalesce(case when bool_and(bool_and(t.type = 'CHARGE')) over () then sum(p.amount_refunded)
    else sum(t.amount) filter (where t.type = 'REFUND' and t.status in ('CAPTURED', 'SETTLED')) end, 0)::float8 as refunded,
  coalesce(sum(f.amount), 0)::float8 as fees,
  exists (select from found where n > ${TOTAL_CAP}) as capped
from found
cross join lateral (
  select currency, type, status, amount, payment_id from transactions
  where environment_id = ${environment} and id = found.id offset 0) t
left join lateral (
  select amount_captured, amount_refunded from payments
  where environment_id = ${environment} and id = t.payment_id and t.type = 'CHARGE' offset 0) p on true
left join lateral (
  select sum(l.amount) as amount from operations o
  join ledger_entries l on l.environment_id = ${environment} and l.operation_id = o.id and l.line = 2 and l.credit_account = 'fees'
  where o.environment_id = ${environment} and o.payment_id = t.payment_id and p.amount_captured > 0 offset 0) f on true
where found.n <= ${TOTAL_CAP}
group by t.currency
order by t.currency`;
