/** Where to go after a sign-in: a path of our own, or `fallback`. An address of somebody else's is not followed. */
export function safePath(next: string | null | undefined, fallback: string): string {
  if (!next?.startsWith("/")) return fallback;
  const base = "http://own.invalid";
  if (!URL.canParse(next, base)) return fallback;
  const url = new URL(next, base);
  // Dot segments may leave two slashes at the start, which a browser reads as a host.
  if (url.origin !== base || url.pathname.startsWith("//")) return fallback;
  return url.pathname + url.search + url.hash;
}
