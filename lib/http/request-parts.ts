import { isIP } from "node:net";
import { maskCardNumbers } from "@/lib/contract/card-numbers";
import { AppError } from "@/lib/contract/errors";
import { env } from "@/lib/env";

/**
 * The parts of a request that the pipeline reads: a `Request`, or the thin view that our own host creates.
 */
export type ApiRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  /** Null when there is none. */
  readonly body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null;
};

/** Set by the host only: names of headers that came more than once, which Node joins or drops. */
const REPEATED_HEADERS = "x-cardlane-repeated-headers";

type NodeHeaders = { headers: Record<string, string | string[] | undefined>; rawHeaders: readonly string[] };

/**
 * Records repeated headers before any is read, and removes a value that the caller sent. Returns their names
 * in lower case.
 */
export function noteRepeatedHeaders({ headers, rawHeaders }: NodeHeaders): ReadonlySet<string> {
  delete headers[REPEATED_HEADERS];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    if (seen.has(name)) repeated.add(name);
    else seen.add(name);
  }
  if (repeated.size > 0) headers[REPEATED_HEADERS] = [...repeated].join(",");
  return repeated;
}

/**
 * A header that affects processing, or null. Throws 400 if it came more than once, even with equal values:
 * proxies and servers disagree on which one counts.
 */
export function decidingHeader(headers: ApiRequest["headers"], name: string): string | null {
  if (headers.get(REPEATED_HEADERS)?.split(",").includes(name.toLowerCase())) {
    const code = /idempotency-key$/i.test(name) ? "idempotency_key_invalid" : "invalid_parameter";
    throw new AppError(code, `The request has the ${name} header more than once. Send it once.`, { param: name });
  }
  return headers.get(name.toLowerCase());
}

/** Connection details from the host; under Next's own server only the headers have them. */
export type Connection = { ip: string | null };

/** Not a server error: the caller disconnected mid-body, or was cut off for being slow. */
export class CallerGone extends AppError {
  constructor(cause: unknown) {
    super("malformed_json", "The body was cut off. Send the request again.", { cause });
  }

  /** The status that proxies log for it; the caller never sees it. */
  override get status(): number {
    return CALLER_GONE;
  }
}

export const CALLER_GONE = 499;

/** The path of an absolute URL, as sent. Ten times as fast as `new URL`. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/**
 * The path in a form that may be echoed and stored: callers put anything in place of an id, and the tokens of
 * client sessions, challenges, receipts, invoices, portal sessions and report files are secret.
 */
export function keepablePathOf(url: string): string {
  const path = pathOf(url);
  const readable = decoded(path);
  const masked = maskCardNumbers(readable);
  return (masked === readable ? path : masked).replace(
    /^(\/(?:pay|challenge|receipt|invoice|portal|report-file)\/)[^/]+/,
    "$1{token}",
  );
}

/** Decodes a part of a path or a header value. Keeps a broken escape: it is an id that does not exist. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The query string with its question mark, or an empty string. */
export function searchOf(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start);
}

/** The caller's address. Under Next it is the last X-Forwarded-For entry (lib/server/next-requests.ts). */
export function addressOf(headers: { get(name: string): string | null }, connection: Connection): string {
  if (connection.ip === null) return plain(entries(headers.get("x-forwarded-for")).at(-1) ?? "");
  if (env.trustedProxies === 0) return connection.ip; // Already plain: the fast path of API requests.
  return callerAddress(headers.get("x-forwarded-for"), connection.ip);
}

/**
 * Trusts X-Forwarded-For only as far as our own proxies wrote it: `TRUSTED_PROXIES` entries from the right.
 * Falls back to the connection's address if there are fewer, or the entry is not an address.
 */
export function callerAddress(forwarded: string | null | undefined, peer: string): string {
  const proxies = env.trustedProxies;
  const address = proxies === 0 ? "" : plain(entries(forwarded).at(-proxies) ?? "");
  return address || plain(peer);
}

const entries = (header: string | null | undefined) => (header ?? "").split(",").map((part) => part.trim());

/** A bare address, as sockets report it. Proxies add ports, brackets and quotes; IPv4 may be IPv6-mapped. */
function plain(text: string): string {
  const [, bracketed, v4] =
    /^"?(?:\[([^\]]{2,60})\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})"?$/.exec(text) ?? [];
  const [address = ""] = (bracketed ?? v4 ?? text).replaceAll('"', "").split("%");
  const version = isIP(address);
  if (version !== 6) return version === 4 ? address : "";
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(canonical);
  if (!mapped) return canonical;
  const [high, low] = [mapped[1], mapped[2]].map((group) => Number.parseInt(group ?? "", 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
