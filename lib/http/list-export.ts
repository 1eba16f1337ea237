import type { DashboardEndpoint } from "@/lib/contract/endpoint";
import type { QueryProblem } from "@/lib/contract/lists/address";
import type { Context } from "@/lib/domain/context";
import { type FileStyle, refuseProblems, STYLE_PARAMS, stampOf, streamExport } from "./export";
import { type SheetColumn, sheetParts } from "./spreadsheet";

type ListExport<Query extends object, Row> = {
  endpoint: DashboardEndpoint;
  what: "invoices" | "subscriptions" | "payouts" | "settlement_batches" | "movements" | "customers" | "disputes";
  title: string;
  columns(style: FileStyle): readonly SheetColumn<Row>[];
  parse(params: URLSearchParams): { query: Query; problems: readonly Pick<QueryProblem, "param" | "message">[] };
  /** Names of the filters in use. */
  used(query: Query): readonly string[];
  open(
    ctx: Context,
    query: Query,
    timeZone: string,
  ): Promise<{ total: number; batches: AsyncGenerator<Row[], void>; close(): Promise<void> }>;
};

/** Streams everything that the query of a list's page matches as a file. */
export function listExportRoute<Query extends object, Row>(
  request: Request,
  mode: string,
  { endpoint, what, title, columns, parse, used, open }: ListExport<Query, Row>,
): Promise<Response> {
  return streamExport(endpoint, request, { mode }, ({ ctx, merchant }, style) => {
    const params = new URL(request.url).searchParams;
    for (const name of STYLE_PARAMS) params.delete(name);
    const { query, problems } = parse(params);
    refuseProblems(problems);
    return {
      name: `${what.replace("_", "-")}-${mode}-${stampOf(ctx.service.clock.now(), merchant.timeZone)}`,
      act: [`settings.${what}_exported`, { mode, filters: used(query) }],
      async open() {
        const opened = await open(ctx, query, merchant.timeZone);
        return {
          parts: sheetParts(opened.batches, columns(style), { ...style, title }),
          headers: { "X-Total-Count": String(opened.total), "X-Accel-Buffering": "no" },
          close: opened.close,
        };
      },
    };
  });
}
