import { brandVariables, SYSTEM_FONTS } from "@/lib/contract/brand";
import { failureResponse, infoOf } from "./pipeline";
import type { ApiRequest } from "./request-parts";
import type { HttpResponse } from "./response";

/** An error that is treated as an unavailable database. */
export const silence = (sentence: string): Error => Object.assign(new Error(sentence), { code: "ETIMEDOUT" });

/**
 * The response, or 503 after `limitMs`: a silent database would otherwise hold its callers forever. The work
 * continues, and the same idempotency key gets its outcome later; a 5xx is never stored. Time spent on a slow
 * body does not count: the HTTP server limits it.
 */
export function respondWithin(
  limitMs: number,
  request: ApiRequest,
  response: Promise<HttpResponse>,
  { isCallersTurn = () => false }: { isCallersTurn?: () => boolean } = {},
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let timer = setTimeout(look, limitMs);
    let isLate = false;
    function look(): void {
      if (isCallersTurn()) timer = setTimeout(look, limitMs);
      else {
        isLate = true;
        resolve(failureResponse(silence(`no answer within ${limitMs} ms`), infoOf(request)));
      }
    }
    response.then((made) => (isLate ? made.sent?.() : resolve(made)), reject).finally(() => clearTimeout(timer));
  });
}

const VARIABLES = Object.entries(brandVariables()).map(([name, value]) => `${name}:${value}`);

/** Inline styles: during an outage the page cannot load files. */
const STYLE = `
:root{color-scheme:light dark;${VARIABLES.join(";")}}
body{margin:0;min-height:90vh;display:flex;flex-direction:column;align-items:center;justify-content:center;padding:16px;
box-sizing:border-box;text-align:center;font:14px/1.5 ${SYSTEM_FONTS};background:var(--ground);color:var(--ink)}
main{max-width:26rem}
h1{margin:0 0 4px;font-size:16px;line-height:1.4}
p{margin:0;color:var(--soft)}
a{display:inline-block;margin-top:20px;padding:8px 16px;border:1px solid var(--edge);border-radius:var(--radius);color:inherit;font-weight:500;
text-decoration:none}
a:hover{background:var(--raised)}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}`;

type OutagePage = {
  readonly title: string;
  readonly text: string;
  /** Nonce of the page's policy. */
  readonly nonce: string;
  /** True if it replaces the response to a GET, so that reloading is safe. */
  readonly retry: boolean;
  /** Delay before the browser reloads it. */
  readonly reloadSeconds?: number | null;
};

/** A whole document in place of a page that cannot be rendered. It contains nothing from the request. */
export function outagePage({ title, text, nonce, retry, reloadSeconds = null }: OutagePage): string {
  // An empty href is the document itself, with its query.
  const again = retry ? '\n<a href="">Try again</a>' : "";
  const reload = reloadSeconds === null ? "" : `\n<meta http-equiv="refresh" content="${reloadSeconds}">`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">${reload}
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
