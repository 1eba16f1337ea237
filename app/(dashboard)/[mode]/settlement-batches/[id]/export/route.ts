import { batchExportRoute } from "@/lib/http/settled-export";

export async function GET(
  request: Request,
  { params }: { params: Promise<{ mode: string; id: string }> },
): Promise<Response> {
  return batchExportRoute(request, await params);
}
