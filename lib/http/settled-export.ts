import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import type { Context } from "@/lib/domain/context";
import { getPayout, listDisputesOfPayout } from "@/lib/domain/settlement/payouts";
import {
  type BatchItem,
  getSettlementBatch,
  listBatchesOfPayout,
  listBatchItems,
} from "@/lib/domain/settlement/read-batches";
import { type FileStyle, streamExport } from "./export";
import { type SheetColumn, sheetParts } from "./spreadsheet";
import { majorText } from "./transaction-sheet";

const BATCH = dashboardEndpoint({
  name: "exportSettlementBatch",
  method: "GET",
  path: "/{mode}/settlement-batches/{id}/export",
  permission: "balance.read",
  status: 200,
  response: z.unknown(),
});
const PAYOUT = dashboardEndpoint({ ...BATCH, name: "exportPayout", path: "/{mode}/payouts/{id}/export" });

/** Items per read. A batch has about a thousand, or more if payments have hundreds of refunds. */
const PAGE_SIZE = 5_000;

/** A settled transaction, or a dispute that a payout accounts for. */
type SettledRow = Pick<BatchItem, "customer" | "amount" | "fee" | "created_at"> & {
  kind: BatchItem["kind"] | "dispute" | "dispute_return";
  transaction_id: string | null;
  payment_id: string | null;
  dispute_id?: string;
};

const KIND_WORDS: Record<SettledRow["kind"], string> = {
  charge: "Charge",
  refund: "Refund",
  reversal: "Refund reversal",
  dispute: "Dispute",
  dispute_return: "Dispute returned",
};

/** The plain CSV has amounts in minor units, other files in major units. */
function columnsOf(currency: string, { format }: FileStyle): SheetColumn<SettledRow>[] {
  const money = (name: string, heading: string, minor: (item: SettledRow) => number): SheetColumn<SettledRow> => ({
    name,
    heading,
    kind: "amount",
    read: (item) => (format === "csv" ? minor(item) : majorText(minor(item), currency)),
  });
  const code: SheetColumn<SettledRow> = { name: "currency", heading: "Currency", kind: "text", read: () => currency };
  const amounts = [
    money("amount", "Amount", ({ amount }) => amount),
    money("fee", "Fee", ({ fee }) => fee),
    money("net", "Net", ({ amount, fee }) => amount - fee),
  ] as const;
  const created: SheetColumn<SettledRow> = {
    name: "created_at",
    heading: "Created",
    kind: "time",
    read: (item) => item.created_at,
  };
  const local: SheetColumn<SettledRow> = { ...created, name: "created_at_local", kind: "local_time" };
  const ids: SheetColumn<SettledRow>[] = [
    { name: "transaction_id", heading: "Transaction id", kind: "text", read: (item) => item.transaction_id },
    { name: "payment_id", heading: "Payment id", kind: "text", read: (item) => item.payment_id },
    { name: "type", heading: "Type", kind: "text", read: (item) => item.kind, word: ({ kind }) => KIND_WORDS[kind] },
  ];
  const customer: SheetColumn<SettledRow> = {
    name: "customer",
    heading: "Customer",
    kind: "text",
    read: (item) => item.customer,
  };
  // Files are read by position: new columns go to the end of the plain one.
  const [amount, ...earnings] = amounts;
  return format === "csv"
    ? [...ids, amount, code, created, ...earnings, local, customer]
    : [...ids, amount, code, ...earnings, customer, local, created];
}

/** A batch's transactions as a file. */
export function batchExportRoute(request: Request, params: { mode: string; id: string }): Promise<Response> {
  return streamExport(BATCH, request, params, async ({ ctx }, style) => {
    const batch = await getSettlementBatch(ctx, params);
    return {
      name: `settlement-${batch.id}`,
      headers: { "X-Total-Count": String(batch.transaction_count) },
      act: ["settings.settlement_batch_exported", { mode: ctx.environment.mode, batch: batch.id }],
      open: async () => ({
        parts: sheetParts(itemsOf(ctx, [batch.id]), columnsOf(batch.currency, style), {
          ...style,
          title: "Settlement batch",
        }),
      }),
    };
  });
}

/** A payout's transactions and disputes as a file, whose net amounts add up to the payout. */
export function payoutItemsExportRoute(request: Request, params: { mode: string; id: string }): Promise<Response> {
  return streamExport(PAYOUT, request, params, async ({ ctx }, style) => {
    const payout = await getPayout(ctx, params);
    const [batches, disputes] = await Promise.all([
      listBatchesOfPayout(ctx, payout),
      listDisputesOfPayout(ctx, payout),
    ]);
    const transactions = batches.reduce((sum, batch) => sum + batch.transaction_count, 0);
    const disputed = disputes.map(
      ({ dispute_id, amount, fee, created_at }): SettledRow => ({
        kind: amount > 0 ? "dispute_return" : "dispute",
        transaction_id: null,
        payment_id: null,
        customer: null,
        amount,
        fee: 0 - fee,
        created_at,
        dispute_id,
      }),
    );
    const dispute: SheetColumn<SettledRow> = {
      name: "dispute_id",
      heading: "Dispute id",
      kind: "text",
      read: (row) => row.dispute_id ?? null,
    };
    return {
      name: `payout-${payout.id}`,
      headers: { "X-Total-Count": String(transactions + disputed.length) },
      act: ["settings.payout_exported", { mode: ctx.environment.mode, payout: payout.id }],
      open: async () => ({
        parts: sheetParts(
          payoutRows(itemsOf(ctx, payout.settlement_batch_ids), disputed),
          [...columnsOf(payout.currency, style), dispute],
          { ...style, title: "Payout" },
        ),
      }),
    };
  });
}

async function* payoutRows(settled: AsyncIterable<SettledRow[]>, disputed: SettledRow[]) {
  yield* settled;
  yield disputed;
}

async function* itemsOf(ctx: Context, batchIds: readonly string[]): AsyncGenerator<BatchItem[], void> {
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const items = await listBatchItems(ctx, { batchIds, limit: PAGE_SIZE, offset });
    yield items;
    if (items.length < PAGE_SIZE) return;
  }
}
