import type { Sql, Transaction } from "@/db/client";

/** The rows of a list in one snapshot. */
export type OpenExport<Row> = {
  /** Exact number of rows in the batches, counted in the same snapshot. */
  readonly total: number;
  /** Throws if it ends before all rows were read. */
  readonly batches: AsyncGenerator<Row[], void>;
  /**
   * Ends the transaction and its connection. May be called repeatedly, but not while a batch is being read.
   */
  close(): Promise<void>;
};

type Opened<Row> = { total: number; cursor: AsyncIterable<Row[]> };

/** Rows in memory: formatting them as CSV blocks the event loop for about 5 ms. */
export const BATCH = 200;
const END_SECONDS = 2;

/**
 * Opens a list through a cursor: one connection, one snapshot, one batch in memory. Takes over `sql` and
 * ends it.
 */
export async function openExport<Row>(
  sql: Sql,
  openIn: (tx: Transaction) => Promise<Opened<Row>>,
): Promise<OpenExport<Row>> {
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
  const opened = new Promise<Opened<Row>>((resolve, reject) => {
    transaction = sql
      .begin("isolation level repeatable read read only", async (tx) => {
        resolve(await openIn(tx));
        await finished;
      })
      // The caller gets the error of a lost connection by iterating; nothing awaits this promise.
      .catch(reject);
  });
  const { total, cursor } = await opened.catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { total, batches: batchesOf(cursor, total, close), close };
}

type Pages<Row> = {
  /** Exact number of rows. */
  count(tx: Sql): Promise<number>;
  /** The rows after `last`, or the first ones for null. */
  page(tx: Sql, last: Row | null, limit: number): Promise<Row[]>;
};

/** The same for a list that is read in pages. */
export const openPages = <Row>(sql: Sql, { count, page }: Pages<Row>): Promise<OpenExport<Row>> =>
  openExport(sql, async (tx) => {
    const inside = tx as unknown as Sql;
    return { total: await count(inside), cursor: pagesOf((last) => page(inside, last, BATCH)) };
  });

async function* pagesOf<Row>(next: (last: Row | null) => Promise<Row[]>): AsyncGenerator<Row[], void> {
  for (let rows = await next(null); rows.length > 0; rows = rows.length < BATCH ? [] : await next(rows.at(-1) ?? null))
    yield rows;
}

/** Cap for a count that has none. */
export const UNCAPPED = 2_147_483_647;

async function* batchesOf<Row>(
  cursor: Opened<Row>["cursor"],
  total: number,
  close: () => Promise<void>,
): AsyncGenerator<Row[], void> {
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
