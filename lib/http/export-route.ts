import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { dashboardOperation } from "@/lib/contract/operation";
import { EXPORT_FIELDS, type ExportField, exportFieldsOf } from "@/lib/contract/transactions/export";
import { type SearchTransactionsBody, searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { accountActor, recordAccountAct } from "@/lib/domain/people/record-account-act";
import { exportTransactions, type TransactionExport } from "@/lib/domain/transactions/export-transactions";
import { currentService } from "./current-service";
import { dashboardCall, infoOf } from "./dashboard-route";
import { takeExportSlot } from "./export-slots";
import { exportStream } from "./export-stream";
import { appErrorOf, renderProblem } from "./problem";
import { requireSameOrigin } from "./same-origin";
import { csvHeader, csvPieces } from "./transaction-csv";

const OPERATION = dashboardOperation({
  name: "exportTransactions",
  method: "GET",
  path: "/{mode}/transactions/export",
  permission: "transaction.read",
  status: 200,
  response: z.unknown(),
});

/** How the page's own parameters are read, which only the page knows. `problems`: what could not be. */
export type ReadSearch = (
  params: URLSearchParams,
  timeZone: string,
) => { search: unknown; problems: readonly { param: string; message: string }[] };

/**
 * The whole result of a search as CSV, streamed. `columns` names the table's columns, comma-separated; without it all there
 * is. `X-Total-Count` says how many lines follow the first, so that a reader can tell a whole file from a part.
 */
export async function exportRoute(request: Request, mode: string, read: ReadSearch): Promise<Response> {
  const { service } = currentService();
  const info = infoOf(request);
  const headers = { "X-Request-Id": encodeId("request", info.id), "Cache-Control": "no-store" };
  let release = () => {};
  try {
    requireOwnPage(request);
    const { ctx, merchant } = await dashboardCall(OPERATION, request, { mode }, info);
    const params = new URL(request.url).searchParams;
    const fields = fieldsOf(params);
    const search = searchOf(params, merchant.timeZone, read);
    const file = {
      ...headers,
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="transactions-${mode}-${stampOf(ctx.service.clock.now())}.csv"`,
    };
    // Nobody would read what it opens.
    if (request.method === "HEAD") return new Response(null, { headers: file });
    const slot = await takeExportSlot(merchant.id, { gone: request.signal });
    release = slot.release;
    // The account's history is kept in its live environment, whatever was exported.
    const { orm } = service.db.within(merchant.environments.live);
    await recordAccountAct(orm, accountActor(ctx), "settings.transactions_exported", ctx.environment.id, {
      mode,
      filters: Object.keys(search.filters),
    });
    const opened = await exportTransactions(ctx, search);
    const body = exportStream({
      parts: partsOf(opened, fields),
      signal: AbortSignal.any([request.signal, slot.signal]),
      sent: slot.note,
      close: () => void opened.close().finally(release),
      failed: (error) => service.log.error({ err: error, request_id: headers["X-Request-Id"] }, "an export failed"),
    });
    return new Response(body, {
      headers: {
        ...file,
        "X-Total-Count": String(opened.total),
        // A proxy that collects the answer would hide how far it is.
        "X-Accel-Buffering": "no",
      },
    });
  } catch (thrown) {
    release();
    const error = appErrorOf(service, thrown, info);
    return new Response(renderProblem(service, error, info), {
      status: error.status,
      headers: { ...headers, ...error.headers, "Content-Type": "application/problem+json" },
    });
  }
}

/** A link on another site must not make a person's browser export. Typed into the address bar it is no site's. */
function requireOwnPage(request: Request): void {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "none") requireSameOrigin(request.headers, currentService().service.baseUrl);
}

function fieldsOf(params: URLSearchParams): readonly ExportField[] {
  const columns = params.get("columns");
  if (columns === null) return EXPORT_FIELDS;
  const fields = exportFieldsOf(columns.split(",").filter(Boolean));
  if (fields && fields.length > 0) return fields;
  throw new AppError("invalid_parameter", "The export has no such columns. Reload the page and try again.", {
    param: "columns",
  });
}

function searchOf(
  params: URLSearchParams,
  timeZone: string,
  read: ReadSearch,
): Pick<SearchTransactionsBody, "filters" | "sort"> {
  const own = new URLSearchParams(params);
  own.delete("columns");
  const { search, problems } = read(own, timeZone);
  const errors = problems.map(({ param, message }) => ({ param, code: "invalid_parameter" as const, message }));
  // Leaving a filter out would export more than the person sees.
  if (errors.length > 0) throw new AppError("invalid_parameter", "A filter cannot be read.", { errors });
  const parsed = searchTransactionsBody.safeParse(search);
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_parameter", parsed.error.issues[0]?.message ?? "A filter cannot be read.");
}

/**
 * All exports of the process rest after a piece for as long as it took: together they have half of it at most. A piece that
 * takes longer than this was waiting for its turn on a busy machine.
 */
const LONGEST_REST_MS = 5;
let restUntilMs = 0;

async function* partsOf({ batches }: TransactionExport, fields: readonly ExportField[]): AsyncGenerator<string, void> {
  yield csvHeader(fields);
  for await (const batch of batches) {
    const pieces = csvPieces(batch, fields);
    for (;;) {
      for (let restMs = restUntilMs - performance.now(); restMs > 0; restMs = restUntilMs - performance.now())
        await wait(restMs);
      const startedMs = performance.now();
      const { done, value } = pieces.next();
      const endedMs = performance.now();
      restUntilMs = endedMs + Math.min(endedMs - startedMs, LONGEST_REST_MS);
      if (done) break;
      yield value;
    }
  }
}

/** `20261121-143005`, in UTC. */
const stampOf = (at: Date): string => at.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
