import { noteCustomers } from "@/db/queries/customers";
import { searchTransactionsBody, type Transaction } from "@/lib/contract/transactions/transaction";
import { listRequests } from "@/lib/domain/approvals/requests";
import { type Context, onReplicas } from "@/lib/domain/context";
import { listCustomers } from "@/lib/domain/customers/customers";
import { getDisputeDetail } from "@/lib/domain/disputes/dispute-pages";
import { getDispute, listDisputes } from "@/lib/domain/disputes/read-disputes";
import { listEvents } from "@/lib/domain/events/read-events";
import { getInvoice, listInvoices } from "@/lib/domain/invoices/read-invoices";
import { getPaymentMethod, listPaymentMethods } from "@/lib/domain/payment-methods/payment-methods";
import { getPaymentDetail } from "@/lib/domain/payments/payment-detail";
import { getPayment, listPayments } from "@/lib/domain/payments/read-payments";
import { getOverview } from "@/lib/domain/reporting/overview";
import { getBalance, listMovements } from "@/lib/domain/settlement/balance";
import { getPayout, listPayouts } from "@/lib/domain/settlement/payouts";
import { getSubscription, listSubscriptions } from "@/lib/domain/subscriptions/read-subscriptions";
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
  "a stored card": { shows: "pm_", of: "one", run: async (ctx, id) => [await getPaymentMethod(ctx, { id })] },
  "stored cards": { shows: "pm_", of: "all", run: async (ctx) => (await listPaymentMethods(ctx, PAGE)).data },
  "a subscription": { shows: "sub_", of: "one", run: async (ctx, id) => [await getSubscription(ctx, { id })] },
  subscriptions: { shows: "sub_", of: "all", run: async (ctx) => (await listSubscriptions(ctx, PAGE)).data },
  "an invoice": { shows: "inv_", of: "one", run: async (ctx, id) => [await getInvoice(ctx, { id })] },
  invoices: { shows: "inv_", of: "all", run: async (ctx) => (await listInvoices(ctx, PAGE)).data },
  "a payout": { shows: "po_", of: "one", run: async (ctx, id) => [await getPayout(ctx, { id })] },
};
const NAMES = Object.keys(READS);

type Compare = (shop: Shop, ctx: Context, known: Knowledge) => Promise<void>;

/** Reads that are compared by what they count, by name. */
const COUNTED: Readonly<Record<string, Compare>> = {
  sums: compareSums,
  "an overview": compareOverview,
  events: compareEvents,
  balance: compareBalance,
  movements: compareMovements,
  payouts: comparePayouts,
  customers: compareCustomers,
  "approval requests": compareRequests,
};

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
const RUNS_OF_JOB = 4;

/** Callers who only read, such as the dashboards of several members, and the job that derives customers. */
export function readers({ shop, client }: Stage): void {
  const { world } = shop;
  const pause = () => world.timer.wait(world.schedule.pick(PAUSES_MS));
  for (const name of ["reader1", "reader2"]) {
    client(name, 0, async () => {
      for (let i = 0; i < READS_OF_ONE; i++) {
        await readSomething(shop);
        await pause();
      }
    });
  }
  client("customers", 0, async () => {
    for (let i = 0; i < RUNS_OF_JOB; i++) {
      await pause();
      await world.perform("derives customers", () => deriveCustomers(shop));
    }
  });
}

/** Not as a process's own statement: the queue has the charges of earlier worlds, too. */
async function deriveCustomers({ ground, database }: Shop): Promise<void> {
  await noteCustomers(ground.plain.sql, 1_000);
  database.note("update customers");
}

/** Reads something, in any process, and compares it with what was known before. Outages are no answer. */
export async function readSomething(shop: Shop): Promise<void> {
  const { world } = shop;
  const idsOf = ({ shows }: Read, { changes }: Knowledge) => [...changes.keys()].filter((id) => id.startsWith(shows));
  const readable = NAMES.filter((name) => idsOf(READS[name] as Read, shop.knowledge).length > 0);
  const name = world.schedule.pick([...readable, ...Object.keys(COUNTED)]);
  const process = await shop.anyProcess(`reads ${name}`);
  const known = shop.knowledge.copy();
  const read = READS[name];
  const ids = read ? idsOf(read, known).sort() : [];
  const id = ids.length === 0 ? "" : world.schedule.pick(ids);
  await shop.within(process, world.actor.name, async (service) => {
    try {
      const ctx = onReplicas(shop.call(service, "reads"));
      if (read) compare(shop, name, { shown: await read.run(ctx, id), known, ids: read.of === "one" ? [id] : ids });
      else await COUNTED[name]?.(shop, ctx, known);
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

async function compareEvents({ world, knowledge }: Shop, ctx: Context, known: Knowledge): Promise<void> {
  const id = [...known.captured].sort().at(-1);
  if (id === undefined) return;
  const { length } = (await listEvents(ctx, { object_id: id, limit: 100 })).data;
  const before = known.events.get(id) ?? 1;
  if (length < before) world.violate(`a payment has ${length} events, and ${before} were shown before`);
  knowledge.events.set(id, Math.max(length, knowledge.events.get(id) ?? 0));
}

async function compareSums({ world }: Shop, ctx: Context, known: Knowledge): Promise<void> {
  const { rows } = await sumTransactions(ctx, EVERYTHING);
  const transactions = [...known.changes.keys()].filter((id) => id.startsWith("txn_")).length;
  if (rows < transactions) world.violate(`sums are of ${rows} transactions, and ${transactions} were shown before`);
}

async function compareOverview({ world }: Shop, ctx: Context, known: Knowledge): Promise<void> {
  const { figures } = await getOverview(ctx, {
    period: (today) => ({ from: null, to: today, previous: null }),
    currency: "USD",
  });
  const [captured, refunded] = [known.captured.size, known.refunded.size];
  if (figures.captures < captured) world.violate(`an overview has ${figures.captures} captures of ${captured}`);
  if (figures.refunds < refunded) world.violate(`an overview has ${figures.refunds} refunds of ${refunded}`);
}

/** A balance rises and falls, so it is compared with the ledger's if nothing was booked in the meantime. */
async function compareBalance(shop: Shop, ctx: Context): Promise<void> {
  const { world, ground, environment } = shop;
  const atPrimary = { ...ctx, service: { ...ctx.service, db: ground.plain } };
  const look = () =>
    world.perform("looks at the ledger", async () => {
      const { length } = await ground.monitor`select from ledger_entries where environment_id = ${environment.id}`;
      return { length, balance: JSON.stringify(await getBalance(atPrimary)) };
    });
  const before = await look();
  const shown = JSON.stringify(await getBalance(ctx));
  const after = await look();
  if (before.length !== after.length) return;
  if (after.length > 0) world.sometimes("a balance is compared with the ledger");
  if (shown !== after.balance) world.violate(`the balance is ${shown}, and the ledger's ${after.balance}`);
}

async function compareMovements({ world }: Shop, ctx: Context, known: Knowledge): Promise<void> {
  const { data, has_more } = await listMovements(ctx, PAGE);
  if (has_more) return;
  const moved = new Set(data.map(({ transaction_id }) => transaction_id));
  for (const id of known.booked) if (!moved.has(id)) world.violate(`the balance has no movement of ${id}`);
}

/** Only reads show payouts. */
async function comparePayouts(shop: Shop, ctx: Context, known: Knowledge): Promise<void> {
  const ids = [...known.changes.keys()].filter((id) => id.startsWith("po_"));
  compare(shop, "payouts", { shown: (await listPayouts(ctx, PAGE)).data, known, ids });
}

/**
 * A job derives customers a moment later, so their payments may precede them. A customer that was shown stays, with every
 * payment that was known.
 */
async function compareCustomers({ world, knowledge }: Shop, ctx: Context, known: Knowledge): Promise<void> {
  const { data } = await listCustomers(ctx, PAGE);
  for (const id of known.customers.keys())
    if (!data.some((one) => one.id === id)) world.violate("customers lack one that was shown before");
  for (const customer of data) {
    const made = [...known.customerOf.values()].filter((id) => id === customer.customer_id).length;
    const before = Math.max(made, known.customers.get(customer.id) ?? 0);
    if (customer.payments < before)
      world.violate(`a customer has ${customer.payments} payments, and ${before} were shown before`);
    if (made > 0) world.sometimes("a customer is shown with known payments");
    knowledge.learn(customer);
  }
}

/** Requests only move from the open to the ended ones, so that one that was known is in either list. */
async function compareRequests({ world, decisions, members }: Shop, ctx: Context): Promise<void> {
  const user = members.find(({ role }) => role === "owner");
  if (!user) return;
  const shown = decisions.filter(({ status }) => status !== null);
  const ended = new Set(shown.filter(({ status }) => status !== "PENDING").map(({ requestId }) => requestId));
  const idsOf = async (isOpen: boolean) =>
    (await listRequests(ctx, { user, isOpen, limit: 100, offset: 0 })).data.map(({ id }) => id);
  const open = await idsOf(true);
  const past = await idsOf(false);
  for (const id of open) if (ended.has(id)) world.violate("a request is open that has ended");
  for (const { requestId } of shown)
    if (!open.includes(requestId) && !past.includes(requestId)) world.violate("a request is missing that was shown");
  for (const id of ended) if (!past.includes(id)) world.violate("a request has not ended that had ended");
  if (shown.length > 0) world.sometimes("requests for approval are listed");
}
