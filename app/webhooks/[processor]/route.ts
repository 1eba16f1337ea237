import { receiveReports } from "@/lib/http/processor-reports";

export const dynamic = "force-dynamic";

/** Webhooks of built-in processors, which have no connection. */
export async function POST(
  request: Request,
  { params }: { params: Promise<{ processor: string }> },
): Promise<Response> {
  return receiveReports(request, { processor: (await params).processor, connection: null });
}
