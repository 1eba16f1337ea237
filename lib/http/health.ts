import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { currentService } from "./current-service";
import { appErrorOf, renderProblem } from "./problem";
import { pathOf } from "./request-parts";
import { refuse } from "./route";

const headersOf = (requestId: string, type: string) => ({
  "Content-Type": type,
  "Cache-Control": "no-store",
  "X-Request-Id": encodeId("request", requestId),
});

/** Whether the process runs. Asks nothing else, so that an outage of the database does not restart every instance. */
export function live(): Response {
  return new Response('{"status":"live"}', { headers: headersOf(newId(), "application/json") });
}

/** Whether requests can be served: the database answers. 503 when it does not. */
export async function ready(request: Request): Promise<Response> {
  const { service } = currentService();
  const id = newId();
  try {
    await service.db.sql`select 1`;
    return new Response('{"status":"ready"}', { headers: headersOf(id, "application/json") });
  } catch (error) {
    const about = { id, path: pathOf(request.url) };
    const problem = appErrorOf(service, error, about);
    return new Response(renderProblem(service, problem, about), {
      status: problem.status,
      headers: { ...headersOf(id, "application/problem+json"), ...problem.headers },
    });
  }
}

/** Every other method of these paths. */
export const onlyGet = (request: Request): Response => refuse(request, ["GET"]);
