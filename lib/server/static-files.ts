import { join } from "node:path";
import sirv from "sirv";
import type { Listener } from "./http-server";

const PREFIX = "/_next/static";
const YEAR_SECONDS = 31_536_000;

/**
 * Serves what the build made for browsers from its compressed copies; the rest is the pages'. Next would compress each
 * file anew for each browser, and with gzip alone, which is a sixth larger. Their names change with their content.
 */
export function withStaticFiles(root: string, pages: Listener): Listener {
  const serve = sirv(join(root, ".next", "static"), {
    ...{ brotli: true, gzip: true, immutable: true, maxAge: YEAR_SECONDS },
    setHeaders: (response) => response.setHeader("X-Content-Type-Options", "nosniff"),
  });
  return async (request, response) => {
    const { url = "" } = request;
    if (!url.startsWith(`${PREFIX}/`) || (request.method !== "GET" && request.method !== "HEAD")) {
      await pages(request, response);
      return;
    }
    request.url = url.slice(PREFIX.length);
    serve(request, response, () => {
      request.url = url;
      void pages(request, response);
    });
  };
}
