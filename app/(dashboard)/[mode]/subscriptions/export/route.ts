import { subscriptionExportRoute } from "@/lib/http/subscription-export";

/** Takes the same parameters as the subscriptions page, parsed by the same code. */
export async function GET(request: Request, { params }: { params: Promise<{ mode: string }> }): Promise<Response> {
  return subscriptionExportRoute(request, (await params).mode);
}
