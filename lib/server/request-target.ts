/** Who answers a request: the API's handlers, Next, or nobody, because the target is not one that browsers or clients send. */
export type Destination = "api" | "pages" | "nowhere";

const PLAIN = /^\/(?!\/)[\w/-]*(?:\?|$)/;
const API = /^\/(?:v1|health|metrics)(?:[/?]|$)/;
const DOT_SEGMENT = /\/\.\.?(?:\/|$)/;

/**
 * Decides on the path as Next would read it, decoded: a second spelling of /v1 must not reach the handlers by way of Next,
 * and what Next would rewrite (dot segments, `//`, backslashes) or cannot read (a broken escape) reaches nobody.
 */
export function destinationOf(target: string): Destination {
  if (PLAIN.test(target)) return API.test(target) ? "api" : "pages";
  const [raw = ""] = target.split("?", 1);
  const decoded = decode(raw);
  const path = decoded ?? raw.replace(/%2e/gi, ".");
  if (!path.startsWith("/") || path.startsWith("//") || /[\\#]/.test(raw) || DOT_SEGMENT.test(path)) return "nowhere";
  // The API takes a broken escape for an id that does not exist.
  if (API.test(path)) return "api";
  return decoded === null ? "nowhere" : "pages";
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
