import type { Sql } from "@/db/client";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { Parameters, runText } from "../statement-text";
import { type TransactionFilter, type TransactionPage, windowText } from "./page";

/** Minor units. */
export type SumRow = { currency: string; gross: number; refunded: number; rows: number; capped: boolean };

/**
 * What the first rows of a list come to, by currency: as many as a total counts. They are found as a page of that many would be,
 * by the indexes named at `transactionPageText`; each is then looked up by its key, and a charge's payment by its own. Sums are
 * exact up to 2^53. Where all rows are charges, of whichever currency, refunds count with their charge, else where they are rows.
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
  const text = `
with found as (select id, row_number() over () as n from (${window}) page)
select t.currency, count(*)::int as rows, coalesce(sum(p.amount_captured), 0)::float8 as gross,
  coalesce(case when bool_and(bool_and(t.type = 'CHARGE')) over () then sum(p.amount_refunded)
    else sum(t.amount) filter (where t.type = 'REFUND' and t.status in ('CAPTURED', 'SETTLED')) end, 0)::float8 as refunded,
  exists (select from found where n > ${TOTAL_CAP}) as capped
from found
cross join lateral (
  select currency, type, status, amount, payment_id from transactions
  where environment_id = ${environment} and id = found.id offset 0) t
left join lateral (
  select amount_captured, amount_refunded from payments
  where environment_id = ${environment} and id = t.payment_id and t.type = 'CHARGE' offset 0) p on true
where found.n <= ${TOTAL_CAP}
group by t.currency
order by t.currency`;
  return runText<SumRow>(sql, { text, parameters, prepare: false });
}
