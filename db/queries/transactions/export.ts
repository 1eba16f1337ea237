import type { Sql, Transaction } from "@/db/client";
import { BATCH, type OpenExport, openExport } from "../export";
import { columnList, Parameters } from "../statement-text";
import { MONEY_COLUMNS, TRANSACTION_COLUMNS, type TransactionWithMoney } from "./columns";
import { conditions, ordering, type TransactionFilter, type TransactionPage } from "./page";

/** `fee`: booked on a charge at its capture, in minor units; null until then, and for refunds. */
type ExportRow = TransactionWithMoney & { fee: number | null };

type Sort = Pick<TransactionPage, "sort" | "order">;

/**
 * Everything the filter matches. Indexes: those of a page. If none is in order, only the columns sorted by are
 * sorted, not whole rows on disk. Rows, payments and fees are looked up by key, since without statistics a join
 * may read all the environment's payments per row.
 */
export const openTransactionExport = (
  sql: Sql,
  environmentId: string,
  filter: TransactionFilter,
  sort: Sort,
): Promise<OpenExport<ExportRow>> => openExport(sql, (tx) => openIn(tx, environmentId, filter, sort));

async function openIn(tx: Transaction, environmentId: string, filter: TransactionFilter, sort: Sort) {
  const parameters = new Parameters();
  const environment = parameters.add(environmentId);
  const where = conditions(parameters, environment, filter);
  const [counted] = await tx.unsafe<{ total: number }[]>(
    `select count(*) as total from transactions where ${where}`,
    parameters.values,
  );
  const text = `
select ${columnList("t", TRANSACTION_COLUMNS)}, ${columnList("p", MONEY_COLUMNS, "p_")}, f.fee
from (select id, currency, amount, status from transactions where ${where} order by ${ordering(sort)}) page
cross join lateral (
  select * from transactions where environment_id = ${environment} and id = page.id offset 0
) t
cross join lateral (
  select ${columnList("payments", MONEY_COLUMNS)} from payments
  where payments.environment_id = ${environment} and payments.id = t.payment_id limit 1
) p
left join lateral (
  select case when count(*) > 0 then coalesce(sum(l.amount), 0) end::bigint as fee from operations o
  left join ledger_entries l
    on l.environment_id = ${environment} and l.operation_id = o.id and l.line = 2 and l.credit_account = 'fees'
  where o.environment_id = ${environment} and o.payment_id = t.payment_id and o.fee_basis_points is not null
    and t.type = 'CHARGE' and p.amount_captured > 0 offset 0
) f on true
order by ${ordering(sort, "page.")}`;
  return {
    total: Number(counted?.total),
    cursor: tx.unsafe<ExportRow[]>(text, parameters.values).cursor(BATCH),
  };
}
