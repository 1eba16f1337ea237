import { toResponse } from "@/lib/http/answer";
import { metrics } from "@/lib/http/metrics";

export const dynamic = "force-dynamic";
const answer = async (request: Request) => toResponse(await metrics(request));

export { answer as DELETE, answer as GET, answer as OPTIONS, answer as PATCH, answer as POST, answer as PUT };
