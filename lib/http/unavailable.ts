import type { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { Service } from "@/lib/domain/context";
import { newId } from "@/lib/ids";
import type { HttpAnswer, TextAnswer } from "./answer";
import { currentService } from "./current-service";
import { appErrorOf, type ProblemRequest, renderProblem } from "./problem";
import { type ApiRequest, keepablePathOf } from "./request-parts";

/** The answer to a request that failed, or was given up, outside of every operation. */
export function answerFailure(request: ApiRequest, error: unknown): TextAnswer {
  const { service } = currentService();
  const about = { id: newId(), path: keepablePathOf(request.url) };
  return problemAnswer(service, appErrorOf(service, error, about), about);
}

/** A refusal outside of every operation that is nothing for the log. */
export function answerProblem(request: ApiRequest, problem: AppError): TextAnswer {
  return problemAnswer(currentService().service, problem, { id: newId(), path: keepablePathOf(request.url) });
}

function problemAnswer(service: Service, problem: AppError, about: ProblemRequest): TextAnswer {
  return {
    status: problem.status,
    body: renderProblem(service, problem, about),
    headers: {
      "Content-Type": "application/problem+json",
      "Cache-Control": "no-store",
      "X-Request-Id": encodeId("request", about.id),
      ...problem.headers,
    },
  };
}

/** An error that counts as one of an unavailable database. */
export const silence = (sentence: string): Error => Object.assign(new Error(sentence), { code: "ETIMEDOUT" });

/**
 * The answer, or 503 after `limitMs`: a database that is silent would otherwise keep its callers for ever. The work goes
 * on, and its outcome is what the same idempotency key is answered with later; a 5xx is never stored. While we wait for the
 * rest of the caller's body it is not we who are late: the HTTP server has a limit for that.
 */
export function answerWithin(
  limitMs: number,
  request: ApiRequest,
  answer: Promise<HttpAnswer>,
  { isCallersTurn = () => false }: { isCallersTurn?: () => boolean } = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let timer = setTimeout(look, limitMs);
    let isLate = false;
    function look(): void {
      if (isCallersTurn()) timer = setTimeout(look, limitMs);
      else {
        isLate = true;
        resolve(answerFailure(request, silence(`no answer within ${limitMs} ms`)));
      }
    }
    answer.then((made) => (isLate ? made.sent?.() : resolve(made)), reject).finally(() => clearTimeout(timer));
  });
}
