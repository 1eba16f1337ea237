import { reportFileRoute } from "@/lib/http/report-file";

/** The address is a secret that ends: it needs no key and no session. */
export async function GET(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return reportFileRoute(request, (await params).token);
}
