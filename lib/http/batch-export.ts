import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import type { SettlementBatch } from "@/lib/contract/settlement/settlement-batch";
import { accountActor, recordAccountAct } from "@/lib/domain/accounts/activity";
import type { Context } from "@/lib/domain/context";
import { getSettlementBatch, listBatchItems } from "@/lib/domain/settlement/read-batches";
import { toResponse } from "./answer";
import { currentService } from "./current-service";
import { userCall } from "./dashboard";
import { exportStream, requireOwnPage, takeExportSlot } from "./export";
import { answerFailure, headersOf, infoOf } from "./pipeline";

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

/**
 * A batch's transactions as CSV: ids, words, minor units and times, none of which can be read as a formula. One export among
 * those of its merchant, with a line in the account's history.
 */
export async function batchExportRoute(request: Request, params: { mode: string; id: string }): Promise<Response> {
  const { service } = currentService();
  const info = infoOf(request);
  const headers = headersOf(info);
  let release = () => {};
  try {
    requireOwnPage(request);
    const { ctx, merchant } = await userCall(ENDPOINT, request, params, info);
    const batch = await getSettlementBatch(ctx, params);
    const file = {
      ...headers,
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="settlement-${batch.id}.csv"`,
      "X-Total-Count": String(batch.transaction_count),
    };
    // Nobody would read it.
    if (request.method === "HEAD") return new Response(null, { headers: file });
    const slot = await takeExportSlot(merchant.id, { gone: request.signal });
    release = slot.release;
    const { orm } = service.db.within(merchant.environments.live);
    await recordAccountAct(orm, accountActor(ctx), "settings.settlement_batch_exported", ctx.environment.id, {
      ...{ mode: ctx.environment.mode, batch: batch.id },
    });
    const body = exportStream({
      parts: partsOf(ctx, batch),
      signal: AbortSignal.any([request.signal, slot.signal]),
      sent: slot.note,
      close: slot.release,
      failed: (error) => service.log.error({ err: error, request_id: headers["X-Request-Id"] }, "an export failed"),
    });
    return new Response(body, { headers: file });
  } catch (thrown) {
    release();
    return toResponse(answerFailure(thrown, info, headers));
  }
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
