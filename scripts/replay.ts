import "@/lib/server/load-environment";
import { readFileSync } from "node:fs";
import { ConfigurationError } from "@/lib/env";
import { type Io, isHelpWanted, type Main, runProgram, UsageError } from "@/lib/server/cli";
import { NotFoundError, type Payment } from "@/packages/node/src/index";
import { type Client, createClient, ReplayStopped } from "./replay/client";
import { type ReplayOptions, readOptions, USAGE } from "./replay/options";
import { type Order, type OrderFile, OrderFileError, readOrders } from "./replay/orders";
import { createProgress } from "./replay/progress";
import { readLedger } from "./replay/read-ledger";
import { compareBooks, type LedgerBook, type Reconciled } from "./replay/reconcile";
import { describeReport } from "./replay/report";
import { type SentOrder, sendOrder } from "./replay/send-order";

/** Time limit for the first request. */
const REACHABLE_WITHIN_MS = 3_000;

/** Exit code 0 only if file, API and ledger agree to the minor unit. */
export const main: Main = async (args, io) => {
  if (isHelpWanted(args)) {
    io.stdout.write(`Usage: ${USAGE}\n`);
    return 0;
  }
  try {
    const options = readOptions(args);
    const file = readOrders(readCsv(options.path));
    await checkService(options);
    return await replay(options, file, io);
  } catch (error) {
    if (error instanceof UsageError) {
      io.stderr.write(`${error.message}\nUsage: ${USAGE}\n`);
      return 2;
    }
    const expected =
      error instanceof OrderFileError || error instanceof ReplayStopped || error instanceof ConfigurationError;
    io.stderr.write(`${expected ? error.message : ((error as Error).stack ?? String(error))}\n`);
    return 1;
  }
};

await runProgram(import.meta.url, main);

function readCsv(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OrderFileError(
      code === "ENOENT" ? `There is no file ${path}.` : `The file ${path} cannot be read (${code}).`,
    );
  }
}

async function checkService({ baseUrl, apiKey }: ReplayOptions): Promise<void> {
  const client = createClient({
    baseUrl,
    apiKey,
    faults: { duplicates: 0, drops: 0 },
    giveUpAfterMs: REACHABLE_WITHIN_MS,
  });
  try {
    await client.read((cardlane, options) => cardlane.payments.list({ limit: 1 }, options));
  } catch (error) {
    const reason = (error as Error).message;
    throw new ReplayStopped(
      reason.includes("has not answered")
        ? `No response from ${baseUrl}: start the service with npm start. ${reason}`
        : reason,
    );
  }
}

async function replay(options: ReplayOptions, file: OrderFile, { stdout }: Io): Promise<number> {
  const started = performance.now();
  const client = createClient(options);
  const sent = await sendAll(client, file.orders, options, stdout);
  const rows = await readAll(client, sent, options.concurrency, stdout);
  const elapsedMs = performance.now() - started;
  const { ledger, problem } = await readLedgerIfReachable(rows);
  const differences = compareBooks(rows, ledger);
  stdout.write(describeReport({ file, rows, counts: client.counts, ledger, differences, elapsedMs }));
  if (!ledger) {
    stdout.write(`  ✗ Not reconciled: the ledger could not be read. ${problem}\n\n`);
    return 1;
  }
  const verdict =
    differences.length === 0
      ? "✓ Reconciled: file, API and ledger agree to the cent"
      : `✗ Not reconciled: ${differences.length} difference${differences.length === 1 ? "" : "s"}`;
  stdout.write(`  ${verdict} (${rows.length} payments).\n\n`);
  return differences.length === 0 ? 0 : 1;
}

async function sendAll(
  client: Client,
  orders: readonly Order[],
  options: ReplayOptions,
  stdout: Io["stdout"],
): Promise<SentOrder[]> {
  const progress = createProgress(stdout, "Sending ", orders.length);
  let done = 0;
  try {
    return await inParallel(orders, options.concurrency, async (order) => {
      const result = await sendOrder(client, order, options.seed).catch((error: Error) => {
        if (error instanceof ReplayStopped) throw error;
        return { order, paymentId: null, failure: error.message };
      });
      progress.update(++done, `${client.counts.requests} requests, ${client.counts.replays} replays`);
      return result;
    });
  } finally {
    progress.end();
  }
}

/** The final state of every payment, from the API. */
async function readAll(
  client: Client,
  sent: readonly SentOrder[],
  concurrency: number,
  stdout: Io["stdout"],
): Promise<Reconciled[]> {
  const progress = createProgress(stdout, "Checking", sent.length);
  let done = 0;
  try {
    return await inParallel(sent, concurrency, async (order) => {
      const row = { sent: order, payment: order.paymentId === null ? null : await getPayment(client, order.paymentId) };
      progress.update(++done, "read back from the API");
      return row;
    });
  } finally {
    progress.end();
  }
}

async function getPayment(client: Client, id: string): Promise<Payment | null> {
  try {
    return await client.read((cardlane, options) => cardlane.payments.get(id, options));
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

async function readLedgerIfReachable(
  rows: readonly Reconciled[],
): Promise<{ ledger: LedgerBook | null; problem: string }> {
  const ids = rows.flatMap((row) => row.payment?.id ?? []);
  try {
    return {
      ledger: await readLedger(
        ids,
        rows.map((row) => row.sent.order.key),
      ),
      problem: "",
    };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ledger: null, problem: error.message };
  }
}

/** Runs `work` over all items in order, `concurrency` at a time; the first error ends it. */
async function inParallel<T, R>(items: readonly T[], concurrency: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results = Array.from<R>({ length: items.length });
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const at = next++;
      try {
        results[at] = await work(items[at] as T);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}
