import type { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { Service } from "@/lib/domain/context";
import { newId } from "@/lib/ids";
import { appErrorOf, type HttpAnswer, type ProblemRequest, renderProblem, type TextAnswer } from "./answer";
import { currentService } from "./current-service";
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

/** Colours of `app/globals.css`, for a page that loads nothing: what would load it may be what is away. */
const STYLE = `
:root{color-scheme:light dark;--ground:light-dark(#fff,#121211);--ink:light-dark(#1b1b19,#ededea);--soft:light-dark(#62625d,#a3a39c);
--edge:light-dark(#91918b,#6d6d67);--raised:light-dark(#f7f7f6,#1a1a18);--accent:light-dark(#0b6478,#6fc7da)}
body{margin:0;min-height:90vh;display:flex;flex-direction:column;align-items:center;justify-content:center;padding:16px;
box-sizing:border-box;text-align:center;font:14px/1.5 system-ui,sans-serif;background:var(--ground);color:var(--ink)}
main{max-width:26rem}
h1{margin:0 0 4px;font-size:16px;line-height:1.4}
p{margin:0;color:var(--soft)}
a{display:inline-block;margin-top:20px;padding:8px 16px;border:1px solid var(--edge);border-radius:6px;color:inherit;font-weight:500;
text-decoration:none}
a:hover{background:var(--raised)}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}`;

type OutagePage = {
  readonly title: string;
  readonly text: string;
  /** Of the policy that the page is sent with. */
  readonly nonce: string;
  /** Whether it is shown in place of what a GET would have answered, and so may be asked for again. */
  readonly retry: boolean;
};

/** A whole document in place of one that cannot be made. `title` and `text` are ours: nothing of the request is in it. */
export function outagePage({ title, text, nonce, retry }: OutagePage): string {
  // An empty address is that of the document itself, with its query.
  const again = retry ? '\n<a href="">Try again</a>' : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>${again}
</main>
</body>
</html>
`;
}
