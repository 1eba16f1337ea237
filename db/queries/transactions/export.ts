import type { Sql, Transaction } from "@/db/client";
import { columnList, Parameters } from "../statement-text";
import { MONEY_COLUMNS, TRANSACTION_COLUMNS, type TransactionWithMoney } from "./columns";
import { conditions, ordering, type TransactionFilter, type TransactionPage } from "./page";

/** `fee`: booked on a charge at its capture, in minor units; null until then, and for refunds. */
type ExportRow = TransactionWithMoney & { fee: number | null };

type OpenExport = {
  /** Exact number of rows in the batches, counted in the same snapshot. */
  readonly total: number;
  /** Throws if it ends before all rows were read. */
  readonly batches: AsyncGenerator<ExportRow[], void>;
  /**
   * Ends the transaction and its connection. May be called repeatedly, but not while a batch is being read.
   */
  close(): Promise<void>;
};

type Sort = Pick<TransactionPage, "sort" | "order">;
type Opened = { total: number; cursor: AsyncIterable<ExportRow[]> };

/** Rows in memory: formatting them as CSV blocks the event loop for about 5 ms. */
const BATCH = 200;
const END_SECONDS = 2;

/**
 * Everything the filter matches, through a cursor: one connection, one snapshot, one batch in memory. Takes
 * over `sql` and ends it. Indexes: those of a page; payment and fee are looked up by key, since without
 * statistics a join may read all the environment's payments per row.
 */
export async function openTransactionExport(
  sql: Sql,
  environmentId: string,
  filter: TransactionFilter,
  sort: Sort,
): Promise<OpenExport> {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let transaction: Promise<unknown> = Promise.resolve();
  const close = async () => {
    finish();
    // Whatever the connection's state, this ends it and everything that waits for it.
    await sql.end({ timeout: END_SECONDS });
    await transaction;
  };
  const opened = new Promise<Opened>((resolve, reject) => {
    transaction = sql
      .begin("isolation level repeatable read read only", async (tx) => {
        resolve(await openIn(tx, environmentId, filter, sort));
        await finished;
      })
      // The reader gets the error of a lost connection; nothing else waits for this promise.
      .catch(reject);
  });
  const { total, cursor } = await opened.catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { total, batches: batchesOf(cursor, total, close), close };
}

async function openIn(tx: Transaction, environmentId: string, filter: TransactionFilter, sort: Sort): Promise<Opened> {
  const parameters = new Parameters();
  const environment = parameters.add(environmentId);
  const where = conditions(parameters, environment, filter);
  const [counted] = await tx.unsafe<{ total: number }[]>(
    `select count(*) as total from transactions where ${where}`,
    parameters.values,
  );
  const text = `
select ${columnList("t", TRANSACTION_COLUMNS)}, ${columnList("p", MONEY_COLUMNS, "p_")}, f.fee
from (select * from transactions where ${where}) t
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
order by ${ordering(sort, "t.")}`;
  return {
    total: Number(counted?.total),
    cursor: tx.unsafe<ExportRow[]>(text, parameters.values).cursor(BATCH),
  };
}

async function* batchesOf(
  cursor: Opened["cursor"],
  total: number,
  close: () => Promise<void>,
): AsyncGenerator<ExportRow[], void> {
  let read = 0;
  try {
    for await (const rows of cursor) {
      read += rows.length;
      yield rows;
    }
    // A cursor whose connection is lost between two batches ends as if complete.
    if (read !== total) throw new Error(`the export ended after ${read} of ${total} rows`);
  } finally {
    await close();
  }
}
