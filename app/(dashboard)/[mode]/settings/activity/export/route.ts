import { activityExportRoute } from "@/lib/http/activity-export";

/** Takes the same parameters as the activity page, parsed by the same code. */
export async function GET(request: Request, { params }: { params: Promise<{ mode: string }> }): Promise<Response> {
  return activityExportRoute(request, (await params).mode);
}
