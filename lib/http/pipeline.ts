/** The frame around every request. The steps inside differ by kind of caller. */
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { countResponse, NO_ENDPOINT } from "@/lib/counts";
import { newId } from "@/lib/ids";
import { currentService } from "./current-service";
import { type ApiRequest, keepablePathOf } from "./request-parts";
import { type HttpResponse, renderProblem, type TextResponse, toAppError } from "./response";

/** `id` is a UUID. */
export type RequestInfo = { readonly id: string; readonly path: string };
export type ResponseHeaders = Record<string, string>;

/** Steps for one kind of caller: API keys, users, staff, shoppers, or everybody. */
type Steps = {
  /** Name of the endpoint, for metrics. */
  readonly name: string;
  /** Runs the checks in order, then the work. May add to the headers, which a refusal carries, too. */
  run(info: RequestInfo, headers: ResponseHeaders): Promise<HttpResponse>;
  /** Replaces or delays a refusal. */
  onRefusal?(error: unknown): unknown;
  onResponse?(info: RequestInfo, response: HttpResponse): void;
};

/** Handles one request to one endpoint. Never throws: an error of a step becomes the response. */
export async function handleRequest(request: ApiRequest, steps: Steps): Promise<HttpResponse> {
  const startedMs = performance.now();
  const info = infoOf(request);
  const headers = headersOf(info);
  let response: HttpResponse;
  try {
    response = await steps.run(info, headers);
  } catch (error) {
    response = failureResponse(steps.onRefusal ? await steps.onRefusal(error) : error, info, headers);
  }
  countResponse(steps.name, response.status, startedMs);
  steps.onResponse?.(info, response);
  return response;
}

export const infoOf = ({ url }: Pick<ApiRequest, "url">): RequestInfo => ({ id: newId(), path: keepablePathOf(url) });

export const headersOf = ({ id }: RequestInfo): ResponseHeaders => ({
  "X-Request-Id": encodeId("request", id),
  "Cache-Control": "no-store",
});

/** The response to a failed request. Logs what is not the caller's fault. */
export const failureResponse = (error: unknown, info: RequestInfo, headers = headersOf(info)): TextResponse =>
  problemResponse(toAppError(currentService().service, error, info), info, headers);

/** The response of a refusal, which is not logged. */
export const problemResponse = (problem: AppError, info: RequestInfo, headers = headersOf(info)): TextResponse => ({
  status: problem.status,
  headers: { ...headers, ...problem.headers, "Content-Type": "application/problem+json" },
  body: renderProblem(currentService().service, problem, info),
});

/** Refuses a request that reaches no endpoint: 404 for an unknown path, 405 for a method it lacks. */
export function refuse(request: ApiRequest, allowed: readonly string[] | null): TextResponse {
  const startedMs = performance.now();
  const info = infoOf(request);
  const error = allowed
    ? new AppError("method_not_allowed", `${info.path} takes ${allowed.join(", ")}.`, {
        headers: { Allow: allowed.join(", ") },
      })
    : new AppError("resource_not_found", `There is nothing at ${info.path}. See the API reference for all paths.`);
  const response = problemResponse(error, info);
  countResponse(NO_ENDPOINT, response.status, startedMs);
  return response;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
type Handler = (request: Request) => Promise<Response>;

/** One handler for all methods of a Next route file, so that Next handles none of them itself. */
export const everyMethod = (handler: Handler) =>
  Object.fromEntries(METHODS.map((method) => [method, handler])) as Record<(typeof METHODS)[number], Handler>;
