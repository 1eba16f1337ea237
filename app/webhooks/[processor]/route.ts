import { receiveReports } from "@/lib/http/processor-reports";

export const dynamic = "force-dynamic";

/** A processor that is built in, and so has no connection. */
export async function POST(
  request: Request,
  { params }: { params: Promise<{ processor: string }> },
): Promise<Response> {
  return receiveReports(request, { processor: (await params).processor, connection: null });
}
