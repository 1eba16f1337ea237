/** What every request goes through, whoever sent it; the steps that differ are those of its kind of caller. */
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { countAnswer, NO_ENDPOINT } from "@/lib/counts";
import { newId } from "@/lib/ids";
import { appErrorOf, type HttpAnswer, renderProblem, type TextAnswer } from "./answer";
import { currentService } from "./current-service";
import { type ApiRequest, keepablePathOf } from "./request-parts";

/** `id` is a UUID. */
export type RequestInfo = { readonly id: string; readonly path: string };
export type AnswerHeaders = Record<string, string>;

/** What one kind of caller adds: those with an API key, users, staff, shoppers and everybody else. */
type Steps = {
  /** Of the endpoint; what is counted together. */
  readonly name: string;
  /** The checks in their order, then the work. May add to the headers, which a refusal carries, too. */
  run(info: RequestInfo, headers: AnswerHeaders): Promise<HttpAnswer>;
  /** What a refusal becomes; it may wait. */
  refused?(error: unknown): unknown;
  answered?(info: RequestInfo, answer: HttpAnswer): void;
};

/** Answers one request to one endpoint. Never throws: what the steps throw is the answer. */
export async function answerRequest(request: ApiRequest, steps: Steps): Promise<HttpAnswer> {
  const startedMs = performance.now();
  const info = infoOf(request);
  const headers = headersOf(info);
  let answer: HttpAnswer;
  try {
    answer = await steps.run(info, headers);
  } catch (error) {
    answer = answerFailure(steps.refused ? await steps.refused(error) : error, info, headers);
  }
  countAnswer(steps.name, answer.status, startedMs);
  steps.answered?.(info, answer);
  return answer;
}

export const infoOf = ({ url }: Pick<ApiRequest, "url">): RequestInfo => ({ id: newId(), path: keepablePathOf(url) });

export const headersOf = ({ id }: RequestInfo): AnswerHeaders => ({
  "X-Request-Id": encodeId("request", id),
  "Cache-Control": "no-store",
});

/** The answer to a request that failed. What is not the caller's fault is logged. */
export const answerFailure = (error: unknown, info: RequestInfo, headers = headersOf(info)): TextAnswer =>
  answerProblem(appErrorOf(currentService().service, error, info), info, headers);

/** A refusal that is nothing for the log. */
export const answerProblem = (problem: AppError, info: RequestInfo, headers = headersOf(info)): TextAnswer => ({
  status: problem.status,
  headers: { ...headers, ...problem.headers, "Content-Type": "application/problem+json" },
  body: renderProblem(currentService().service, problem, info),
});

/** Refuses a request that reaches no endpoint: 404 for an unknown path, 405 for a method it lacks. */
export function refuse(request: ApiRequest, allowed: readonly string[] | null): TextAnswer {
  const startedMs = performance.now();
  const info = infoOf(request);
  const error = allowed
    ? new AppError("method_not_allowed", `${info.path} takes ${allowed.join(", ")}.`, {
        headers: { Allow: allowed.join(", ") },
      })
    : new AppError("resource_not_found", `There is nothing at ${info.path}. See the API reference for all paths.`);
  const answer = answerProblem(error, info);
  countAnswer(NO_ENDPOINT, answer.status, startedMs);
  return answer;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
type Handler = (request: Request) => Promise<Response>;

/** One handler for all methods of a Next route file, so that Next answers none of them by itself. */
export const everyMethod = (handler: Handler) =>
  Object.fromEntries(METHODS.map((method) => [method, handler])) as Record<(typeof METHODS)[number], Handler>;
