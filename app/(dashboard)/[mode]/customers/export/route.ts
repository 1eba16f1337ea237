import { customerExportRoute } from "@/lib/http/page-exports";

/** Takes the filters of the list's page, parsed by the same code. */
export async function GET(request: Request, { params }: { params: Promise<{ mode: string }> }): Promise<Response> {
  return customerExportRoute(request, (await params).mode);
}
