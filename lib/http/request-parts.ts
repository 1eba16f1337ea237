import { isIP } from "node:net";
import { maskCardNumbers } from "@/lib/contract/card-numbers";
import { AppError } from "@/lib/contract/errors";
import { env } from "@/lib/env";

/** What the pipeline reads of a request: a `Request` is one, and so is the thin view that our own host makes. */
export type ApiRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  /** Null when there is none. */
  readonly body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null;
};

/** Written by the host alone: names of headers that the request has more than once, which Node joins or drops. */
const REPEATED_HEADERS = "x-cardlane-repeated-headers";

type NodeHeaders = { headers: Record<string, string | string[] | undefined>; rawHeaders: readonly string[] };

/** Notes which headers came more than once, before anything reads one. A caller's own note is removed. */
export function noteRepeatedHeaders({ headers, rawHeaders }: NodeHeaders): void {
  delete headers[REPEATED_HEADERS];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    if (seen.has(name)) repeated.add(name);
    else seen.add(name);
  }
  if (repeated.size > 0) headers[REPEATED_HEADERS] = [...repeated].join(",");
}

/** Whether the request has the header more than once; `name` is in lower case. */
export const isRepeated = (headers: NodeHeaders["headers"], name: string): boolean =>
  String(headers[REPEATED_HEADERS] ?? "")
    .split(",")
    .includes(name);

/**
 * A header that decides something, or null. Throws 400 when it came more than once, equal or not: proxies and servers differ
 * in which one counts.
 */
export function decidingHeader(headers: ApiRequest["headers"], name: string): string | null {
  if (headers.get(REPEATED_HEADERS)?.split(",").includes(name.toLowerCase())) {
    const code = /idempotency-key$/i.test(name) ? "idempotency_key_invalid" : "invalid_parameter";
    throw new AppError(code, `The request has the ${name} header more than once. Send it once.`, { param: name });
  }
  return headers.get(name.toLowerCase());
}

/** What the host knows of the connection; under Next's own server only what its headers say. */
export type Connection = { ip: string | null };

/** The caller hung up, or was cut off for being slow, in the middle of a body: nobody is left to answer, and nothing of ours failed. */
export class CallerGone extends AppError {
  constructor(cause: unknown) {
    super("malformed_json", "The body was cut off. Send the request again.", { cause });
  }

  /** What proxies write into their logs for it; the caller does not see it. */
  override get status(): number {
    return CALLER_GONE;
  }
}

export const CALLER_GONE = 499;

/** The path of an absolute URL, as it was sent. `new URL` does the same at ten times the cost. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/** The path as it may be repeated and kept: callers put anything where an id belongs, and the tokens of client sessions and receipts are secret. */
export const keepablePathOf = (url: string): string =>
  maskCardNumbers(pathOf(url)).replace(/^(\/(?:pay|receipt)\/)[^/]+/, "$1{token}");

/** A part of a path, or a header's value. A broken escape stays as it is: it is an id that does not exist. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The query string with its question mark, or nothing. */
export function searchOf(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start);
}

/** The caller's address. Under Next the host has left it in X-Forwarded-For (lib/server/next-requests.ts), as the last entry. */
export function addressOf(headers: { get(name: string): string | null }, connection: Connection): string {
  if (connection.ip === null) return plain(entries(headers.get("x-forwarded-for")).at(-1) ?? "");
  if (env.trustedProxies === 0) return connection.ip; // Already plain: this is the way of every request to the API.
  return callerAddress(headers.get("x-forwarded-for"), connection.ip);
}

/**
 * X-Forwarded-For is believed only as far as our own proxies wrote it: `TRUSTED_PROXIES` entries from the right. The
 * connection's address counts when there are fewer, or when what stands there is no address.
 */
export function callerAddress(forwarded: string | null | undefined, peer: string): string {
  const proxies = env.trustedProxies;
  const address = proxies === 0 ? "" : plain(entries(forwarded).at(-proxies) ?? "");
  return address || plain(peer);
}

const entries = (header: string | null | undefined) => (header ?? "").split(",").map((part) => part.trim());

/** An address alone, as sockets tell it: proxies add ports, brackets and quotes, and IPv4 may come in on an IPv6 socket. */
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
