import { receiveReports } from "@/lib/http/processor-reports";

export const dynamic = "force-dynamic";

export async function POST(request: Request, { params }: { params: Promise<{ name: string }> }): Promise<Response> {
  return receiveReports(request, (await params).name);
}
