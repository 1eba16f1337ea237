import { receiveReports } from "@/lib/http/processor-reports";

export const dynamic = "force-dynamic";

type Address = { processor: string; connection: string };

export async function POST(request: Request, { params }: { params: Promise<Address> }): Promise<Response> {
  return receiveReports(request, await params);
}
