import { reportExportRoute } from "@/lib/http/report-export";

/** Takes the same parameters as the reports page, parsed by the same code. */
export async function GET(request: Request, { params }: { params: Promise<{ mode: string }> }): Promise<Response> {
  return reportExportRoute(request, (await params).mode);
}
