import { type HttpAnswer, toResponse } from "./answer";
import { onlyGet } from "./health";

type Handler = (request: Request) => Promise<Response>;

/** The handlers of a health check for a Next route file; each method but GET answers 405. */
export function healthRoute(get: (request: Request) => HttpAnswer | Promise<HttpAnswer>) {
  const GET: Handler = async (request) => toResponse(await get(request));
  const other: Handler = async (request) => toResponse(onlyGet(request));
  return { GET, POST: other, PUT: other, PATCH: other, DELETE: other, OPTIONS: other };
}
