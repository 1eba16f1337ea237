/** True for an IPv4 or IPv6 loopback address. */
export const isLoopbackAddress = (address: string): boolean =>
  /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address) || address === "::1";

/** The same for a Host header or a URL's host, with or without a port. */
export function isLoopbackHost(host: string | null): boolean {
  const name = hostNameOf(host);
  return name === "localhost" || isLoopbackAddress(name.replace(/^\[|\]$/g, ""));
}

const HOST = /^(?:\[[\da-f:.]+\]|[\w.~-]+)(?::\d{0,5})?$/i;

/**
 * True if a Host header is a name or an address, with or without a port. A URL built from anything else leads
 * elsewhere.
 */
export const isHost = (host: string): boolean => HOST.test(host) && URL.canParse(`http://${host}`);

/**
 * The name or address in a Host header: lower case, without port and the root's dot. Empty if there is none.
 */
export function hostNameOf(host: string | null): string {
  if (host === null || !isHost(host)) return "";
  return new URL(`http://${host}`).hostname.replace(/\.$/, "");
}
