import { evidenceFileRoute } from "@/lib/http/evidence-file";

type FileRouteProps = { params: Promise<{ mode: string; id: string; file: string }> };

export async function GET(request: Request, { params }: FileRouteProps): Promise<Response> {
  return evidenceFileRoute(request, await params);
}
