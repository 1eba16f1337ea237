import { env } from "@/lib/env";

/** What the host knows of the connection; under Next's own server only what its headers say. */
export type Connection = { ip: string | null };

/** The path of an absolute URL, as it was sent. `new URL` does the same at ten times the cost. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/** The query string with its question mark, or nothing. */
export function searchOf(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start);
}

/**
 * The caller's address. X-Forwarded-For is believed only as far as our own proxies wrote it: `TRUSTED_PROXIES` entries from
 * the right. Under Next's own server the connection is out of reach; lib/server/next-requests.ts sees to its last entry.
 */
export function addressOf(headers: { get(name: string): string | null }, connection: Connection): string {
  const proxies = env.trustedProxies;
  if (connection.ip !== null && proxies === 0) return connection.ip;
  const forwarded = (headers.get("x-forwarded-for") ?? "").split(",").map((part) => part.trim());
  const address = forwarded[forwarded.length - Math.max(1, proxies)];
  return (address || connection.ip || "").replace(/^::ffff:/, "");
}
