import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Runs a route handler as Next does, so that `headers()` and `cookies()` are those of the request. Next has no public way
 * to do it: these are the stores that its own server fills.
 */
export async function withinRequest<T>(request: Request, work: () => Promise<T>): Promise<T> {
  const { workAsyncStorage } = require("next/dist/server/app-render/work-async-storage.external");
  const { workUnitAsyncStorage } = require("next/dist/server/app-render/work-unit-async-storage.external");
  const { RequestCookies } = require("next/dist/server/web/spec-extension/cookies");
  const unit = {
    type: "request",
    phase: "render",
    headers: request.headers,
    cookies: new RequestCookies(request.headers),
  };
  return workAsyncStorage.run({ route: "/" }, () => workUnitAsyncStorage.run(unit, work));
}
