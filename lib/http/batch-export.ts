import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import type { SettlementBatch } from "@/lib/contract/settlement/settlement-batch";
import type { Context } from "@/lib/domain/context";
import { getSettlementBatch, listBatchItems } from "@/lib/domain/settlement/read-batches";
import { answerExport } from "./export";

const ENDPOINT = dashboardEndpoint({
  name: "exportSettlementBatch",
  method: "GET",
  path: "/{mode}/settlement-batches/{id}/export",
  permission: "balance.read",
  status: 200,
  response: z.unknown(),
});

/** Items read at once. A batch has about a thousand, and more where single payments have hundreds of refunds. */
const READ = 5_000;
const HEADER = "transaction_id,payment_id,type,amount,currency,created_at";

/** A batch's transactions as CSV: ids, words, minor units and times, none of which a spreadsheet reads as a formula. */
export function batchExportRoute(request: Request, params: { mode: string; id: string }): Promise<Response> {
  return answerExport(ENDPOINT, request, params, async ({ ctx }) => {
    const batch = await getSettlementBatch(ctx, params);
    return {
      name: `settlement-${batch.id}`,
      headers: { "X-Total-Count": String(batch.transaction_count) },
      act: ["settings.settlement_batch_exported", { mode: ctx.environment.mode, batch: batch.id }],
      open: async () => ({ parts: partsOf(ctx, batch) }),
    };
  });
}

async function* partsOf(ctx: Context, { id, currency }: SettlementBatch): AsyncGenerator<string, void> {
  yield `${HEADER}\r\n`;
  for (let offset = 0; ; offset += READ) {
    const items = await listBatchItems(ctx, { id, limit: READ, offset });
    const lines = items.map(({ transaction_id, payment_id, kind, amount, created_at }) =>
      [transaction_id, payment_id, kind, amount, currency, created_at].join(","),
    );
    if (lines.length > 0) yield `${lines.join("\r\n")}\r\n`;
    if (items.length < READ) return;
  }
}
