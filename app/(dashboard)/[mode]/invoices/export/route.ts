import { invoiceExportRoute } from "@/lib/http/invoice-export";

/** Takes the same parameters as the invoices page, parsed by the same code. */
export async function GET(request: Request, { params }: { params: Promise<{ mode: string }> }): Promise<Response> {
  return invoiceExportRoute(request, (await params).mode);
}
