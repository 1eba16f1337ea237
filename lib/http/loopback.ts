/** Whether an address is this machine's own, as IPv4 or IPv6. */
export const isLoopbackAddress = (address: string): boolean =>
  /^127\.\d+\.\d+\.\d+$/.test(address) || address === "::1";

/** The same of a Host header or a URL's host, with or without a port. */
export function isLoopbackHost(host: string | null): boolean {
  if (host === null || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return hostname === "localhost" || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ""));
}
