import { parseQuery, searchBody } from "@/lib/contract/transactions/query";
import { exportRoute } from "@/lib/http/export";

/** Takes the same parameters as the transactions page, parsed by the same code. */
export async function GET(request: Request, { params }: { params: Promise<{ mode: string }> }): Promise<Response> {
  return exportRoute(request, (await params).mode, (given, timeZone, now) => {
    const { query, problems } = parseQuery(given);
    const { filters, sort } = searchBody(query, timeZone, now.getTime());
    return { search: { filters, sort }, problems };
  });
}
