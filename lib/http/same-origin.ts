import { AppError } from "@/lib/contract/errors";

/**
 * Throws unless a page of our own sent the request. For every write that a cookie authorizes: browsers attach cookies to
 * other sites' requests, too. `baseUrl` is the public address; behind a proxy the Host header may be another.
 */
export function requireSameOrigin(headers: { get(name: string): string | null }, baseUrl: string): void {
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin") return;
  // Older browsers send no Sec-Fetch-Site, and none do over plain http to another machine.
  if (site === null && isOwn(headers.get("origin"), headers.get("host"), baseUrl)) return;
  throw new AppError(
    "origin_not_allowed",
    "This request did not come from a page of Cardlane. Open the dashboard and try again.",
  );
}

function isOwn(origin: string | null, host: string | null, baseUrl: string): boolean {
  if (origin === null || origin === "null" || !URL.canParse(origin)) return false;
  const url = new URL(origin);
  const own = new URL(baseUrl);
  // Whoever can answer for the same host without TLS is not who answers for it with TLS.
  return url.protocol === own.protocol && (url.host === own.host || url.host === host?.toLowerCase());
}
