import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import type { Context } from "@/lib/domain/context";
import { type BatchItem, getSettlementBatch, listBatchItems } from "@/lib/domain/settlement/read-batches";
import { type FileStyle, streamExport } from "./export";
import { type SheetColumn, sheetParts } from "./spreadsheet";
import { majorText } from "./transaction-sheet";

const ENDPOINT = dashboardEndpoint({
  name: "exportSettlementBatch",
  method: "GET",
  path: "/{mode}/settlement-batches/{id}/export",
  permission: "balance.read",
  status: 200,
  response: z.unknown(),
});

/** Items per read. A batch has about a thousand, or more if payments have hundreds of refunds. */
const PAGE_SIZE = 5_000;

const KIND_WORDS = { charge: "Charge", refund: "Refund", reversal: "Refund reversal" };

/** The plain CSV has amounts in minor units, other files in major units. */
function columnsOf(currency: string, { format }: FileStyle): SheetColumn<BatchItem>[] {
  const money = (name: string, heading: string, minor: (item: BatchItem) => number): SheetColumn<BatchItem> => ({
    name,
    heading,
    kind: "amount",
    read: (item) => (format === "csv" ? minor(item) : majorText(minor(item), currency)),
  });
  const code: SheetColumn<BatchItem> = { name: "currency", heading: "Currency", kind: "text", read: () => currency };
  const amounts = [
    money("amount", "Amount", ({ amount }) => amount),
    money("fee", "Fee", ({ fee }) => fee),
    money("net", "Net", ({ amount, fee }) => amount - fee),
  ] as const;
  const created: SheetColumn<BatchItem> = {
    name: "created_at",
    heading: "Created",
    kind: "time",
    read: (item) => item.created_at,
  };
  const local: SheetColumn<BatchItem> = { ...created, name: "created_at_local", kind: "local_time" };
  const ids: SheetColumn<BatchItem>[] = [
    { name: "transaction_id", heading: "Transaction id", kind: "text", read: (item) => item.transaction_id },
    { name: "payment_id", heading: "Payment id", kind: "text", read: (item) => item.payment_id },
    { name: "type", heading: "Type", kind: "text", read: (item) => item.kind, word: ({ kind }) => KIND_WORDS[kind] },
  ];
  const customer: SheetColumn<BatchItem> = {
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
  return streamExport(ENDPOINT, request, params, async ({ ctx }, style) => {
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

async function* itemsOf(ctx: Context, batchIds: readonly string[]): AsyncGenerator<BatchItem[], void> {
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const items = await listBatchItems(ctx, { batchIds, limit: PAGE_SIZE, offset });
    yield items;
    if (items.length < PAGE_SIZE) return;
  }
}
