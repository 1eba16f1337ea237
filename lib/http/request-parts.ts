import { env } from "@/lib/env";

/** What the pipeline reads of a request: a `Request` is one, and so is the thin view that our own host makes. */
export type ApiRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  /** Null when there is none. */
  readonly body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null;
};

/** What the host knows of the connection; under Next's own server only what its headers say. */
export type Connection = { ip: string | null };

/** Set by our own host alone, on a request that came through a proxy, for handlers under Next. */
export const PROXIED_HEADER = "x-cardlane-proxied";

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

/** The caller's address. Under Next the host has left it in X-Forwarded-For (lib/server/next-requests.ts), as the last entry. */
export function addressOf(headers: { get(name: string): string | null }, connection: Connection): string {
  if (connection.ip === null) return plain(entries(headers.get("x-forwarded-for")).at(-1) ?? "");
  if (env.trustedProxies === 0) return connection.ip;
  return callerAddress(headers.get("x-forwarded-for"), connection.ip);
}

/**
 * X-Forwarded-For is believed only as far as our own proxies wrote it: `TRUSTED_PROXIES` entries from the right. The
 * connection's address counts when there are fewer.
 */
export function callerAddress(forwarded: string | null | undefined, peer: string): string {
  const proxies = env.trustedProxies;
  const address = proxies === 0 ? null : entries(forwarded).at(-proxies);
  return plain(address || peer);
}

const entries = (header: string | null | undefined) => (header ?? "").split(",").map((part) => part.trim());

/** IPv4 as such, also when it came in on an IPv6 socket. */
const plain = (address: string) => address.replace(/^::ffff:/, "");
