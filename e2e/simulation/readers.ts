import { searchTransactionsBody, type Transaction } from "@/lib/contract/transactions/transaction";
import { type Context, onReplicas } from "@/lib/domain/context";
import { getDisputeDetail } from "@/lib/domain/disputes/dispute-pages";
import { getDispute, listDisputes } from "@/lib/domain/disputes/read-disputes";
import { listEvents } from "@/lib/domain/events/read-events";
import { getPaymentDetail } from "@/lib/domain/payments/payment-detail";
import { getPayment, listPayments } from "@/lib/domain/payments/read-payments";
import { getOverview } from "@/lib/domain/reporting/overview";
import { exportTransactions } from "@/lib/domain/transactions/export-transactions";
import {
  getTransaction,
  listTransactions,
  searchTransactions,
  sumTransactions,
} from "@/lib/domain/transactions/read-transactions";
import type { Knowledge, Shown } from "./knowledge";
import type { Shop } from "./shop";
import type { Stage } from "./stage";

const PAGE = { limit: 100 };
const EVERYTHING = searchTransactionsBody.parse({ limit: 100 });

type Read = {
  /** Ids that the read must show, by their prefix. */
  readonly shows: string;
  /** All objects, or those with the id that it is given. */
  readonly of: "all" | "one";
  readonly run: (ctx: Context, id: string) => Promise<readonly object[]>;
};

/** Reads of the API, the dashboard and exports, by name. */
const READS: Readonly<Record<string, Read>> = {
  "a payment": { shows: "pay_", of: "one", run: async (ctx, id) => [await getPayment(ctx, { id })] },
  "a payment's page": {
    shows: "pay_",
    of: "one",
    run: async (ctx, id) => [(await getPaymentDetail(ctx, { id })).payment],
  },
  payments: { shows: "pay_", of: "all", run: async (ctx) => (await listPayments(ctx, PAGE)).data },
  "a transaction": { shows: "txn_", of: "one", run: async (ctx, id) => [await getTransaction(ctx, { id })] },
  transactions: { shows: "txn_", of: "all", run: async (ctx) => (await listTransactions(ctx, PAGE)).data },
  "a search": { shows: "txn_", of: "all", run: async (ctx) => (await searchTransactions(ctx, EVERYTHING)).data },
  "an export": { shows: "txn_", of: "all", run: exported },
  "a dispute": { shows: "dp_", of: "one", run: async (ctx, id) => [await getDispute(ctx, { id })] },
  "a dispute's page": {
    shows: "dp_",
    of: "one",
    run: async (ctx, id) => [(await getDisputeDetail(ctx, { id })).dispute],
  },
  disputes: { shows: "dp_", of: "all", run: async (ctx) => (await listDisputes(ctx, PAGE)).data },
};
const NAMES = Object.keys(READS);
const COUNTED = ["sums", "an overview", "events"] as const;

async function exported(ctx: Context): Promise<Transaction[]> {
  const { batches, close } = await exportTransactions(ctx, EVERYTHING);
  const rows: Transaction[] = [];
  try {
    for await (const batch of batches) rows.push(...batch);
  } finally {
    await close();
  }
  return rows;
}

const PAUSES_MS = [0, 0, 5, 50, 500, 2_500, 9_000];
const READS_OF_ONE = 12;

/** Callers who only read, such as the dashboards of several members. */
export function readers({ shop, client }: Stage): void {
  const { world } = shop;
  for (const name of ["reader1", "reader2"]) {
    client(name, 0, async () => {
      for (let i = 0; i < READS_OF_ONE; i++) {
        await readSomething(shop);
        await world.timer.wait(world.schedule.pick(PAUSES_MS));
      }
    });
  }
}

/** Reads something, in any process, and compares it with what was known before. Outages are no answer. */
export async function readSomething(shop: Shop): Promise<void> {
  const { world } = shop;
  const name = world.schedule.pick([...NAMES, ...COUNTED]);
  const process = await shop.anyProcess(`reads ${name}`);
  const known = shop.knowledge.copy();
  const read = READS[name];
  const ids = [...known.changes.keys()].filter((id) => read && id.startsWith(read.shows)).sort();
  if (read && ids.length === 0) return;
  const id = ids.length === 0 ? "" : world.schedule.pick(ids);
  await shop.within(process, world.actor.name, async (service) => {
    try {
      const ctx = onReplicas(shop.call(service, "reads"));
      if (read) compare(shop, name, { shown: await read.run(ctx, id), known, ids: read.of === "one" ? [id] : ids });
      else await compareCounts(shop, ctx, name, known);
      world.note(`reads ${name}`);
      world.sometimes("a caller reads what it was told");
    } catch (error) {
      shop.onlyOutages(error);
    }
  });
}

type Comparison = { shown: readonly object[]; known: Knowledge; ids: readonly string[] };

function compare({ world, knowledge }: Shop, name: string, { shown, known, ids }: Comparison): void {
  for (const id of ids) {
    const at = (shown as readonly Shown[])
      .filter((one) => one.id === id)
      .map(({ updated_at }) => updated_at)
      .sort()
      .at(-1);
    if (at === undefined) world.violate(`${name} lacks what somebody was shown before`);
    else if (at < (known.changes.get(id) ?? "")) world.violate(`${name} is older than what somebody was shown before`);
  }
  for (const one of shown) knowledge.learn(one);
}

async function compareCounts(shop: Shop, ctx: Context, name: string, known: Knowledge): Promise<void> {
  const { world, knowledge } = shop;
  if (name === "events") {
    const id = [...known.captured].sort().at(-1);
    if (id === undefined) return;
    const { length } = (await listEvents(ctx, { object_id: id, limit: 100 })).data;
    const before = known.events.get(id) ?? 1;
    if (length < before) world.violate(`a payment has ${length} events, and ${before} were shown before`);
    knowledge.events.set(id, Math.max(length, knowledge.events.get(id) ?? 0));
    return;
  }
  if (name === "sums") {
    const { rows } = await sumTransactions(ctx, EVERYTHING);
    const transactions = [...known.changes.keys()].filter((id) => id.startsWith("txn_")).length;
    if (rows < transactions) world.violate(`sums are of ${rows} transactions, and ${transactions} were shown before`);
    return;
  }
  const { figures } = await getOverview(ctx, {
    period: (today) => ({ from: null, to: today, previous: null }),
    currency: "USD",
  });
  const [captured, refunded] = [known.captured.size, known.refunded.size];
  if (figures.captures < captured) world.violate(`an overview has ${figures.captures} captures of ${captured}`);
  if (figures.refunds < refunded) world.violate(`an overview has ${figures.refunds} refunds of ${refunded}`);
}
