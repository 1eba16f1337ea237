import { lookup, Resolver } from "node:dns/promises";
import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * SSRF guard between merchants' URLs and our own network. The sender resolves each URL through it, connects
 * only to addresses that it returned, and checks the connected socket again, because a name may resolve to
 * another address by then.
 */
export type SsrfGuard = {
  /** Resolves a URL and checks each of its addresses. Throws {@link SsrfGuardError}. */
  check(url: string): Promise<Target>;
  /** The reason why an address is refused; null when it is allowed. */
  findRefusal(address: string): string | null;
};

export type Target = {
  readonly url: URL;
  readonly port: number;
  /** At least one; the URL's host itself if that is an address. */
  readonly addresses: readonly string[];
};

/** `refused`: the URL must be changed. `unresolved`: the name does not resolve now, but may later. */
export class SsrfGuardError extends Error {
  override readonly name = "SsrfGuardError";
  constructor(
    readonly kind: "refused" | "unresolved",
    message: string,
  ) {
    super(message);
  }
}

const refused = (message: string) => new SsrfGuardError("refused", message);

/** All current addresses of a name; empty when it does not exist. */
export type Resolve = (hostname: string) => Promise<string[]>;

const RESOLVE_MS = 2_500;

/**
 * Avoids getaddrinfo: it blocks one of libuv's four threads, which password hashing needs, and a hostile name
 * can be slow.
 */
async function resolvePublicly(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: RESOLVE_MS / 2, tries: 2 });
  const timer = setTimeout(() => resolver.cancel(), RESOLVE_MS);
  const emptyIfUnknown = (error: NodeJS.ErrnoException) => {
    if (error.code === "ENODATA" || error.code === "ENOTFOUND") return [];
    throw new SsrfGuardError("unresolved", `${hostname} could not be looked up (${error.code ?? "no answer"}).`);
  };
  try {
    const lookups = [
      resolver.resolve4(hostname).catch(emptyIfUnknown),
      resolver.resolve6(hostname).catch(emptyIfUnknown),
    ];
    return (await Promise.all(lookups)).flat();
  } finally {
    clearTimeout(timer);
    resolver.cancel();
  }
}

async function resolveLocally(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/** Names that resolve only within a private network. */
const INTERNAL_NAME = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|test|invalid|onion|arpa)$/;
/** In the public range, but internal to a cloud: Azure's metadata address. */
const CLOUD_METADATA_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

function findRefusal(address: string): string | null {
  if (isIP(address) === 0 || address.includes("%")) return `${address} is not an address.`;
  const parsed = ipaddr.parse(address);
  // Only 2000::/3 of IPv6 is public; the rest is reserved, or embeds an IPv4 address that could be internal.
  const isPublic =
    parsed.range() === "unicast" && (isIPv4(address) || ((parsed.toByteArray()[0] as number) & 0xe0) === 0x20);
  if (isPublic && !CLOUD_METADATA_ADDRESSES.has(address)) return null;
  return `${address} is not a public address.`;
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url) throw refused("This is not an absolute URL.");
  if (url.username !== "" || url.password !== "" || /^[a-z]+:[\\/]*[^\\/?#]*@/i.test(text))
    throw refused("Leave the user and password out of the URL.");
  return url;
}

/** The guard for merchants' URLs: https, port 443 and public addresses only. */
export function publicGuard(resolve: Resolve = resolvePublicly): SsrfGuard {
  return {
    findRefusal,
    async check(text) {
      const url = readUrl(text);
      if (url.protocol !== "https:") throw refused("Use https://.");
      if (url.port !== "") throw refused("Use port 443.");
      const hostname = hostOf(url);
      const isAddress = isIP(hostname) !== 0;
      const name = hostname.replace(/\.$/, "");
      if (!isAddress && (!name.includes(".") || INTERNAL_NAME.test(name)))
        throw refused(`${hostname} is not the name of a public host.`);
      const addresses = isAddress ? [hostname] : await resolve(hostname);
      if (addresses.length === 0) throw new SsrfGuardError("unresolved", `There is no address for ${hostname}.`);
      for (const address of addresses) {
        const refusal = findRefusal(address);
        // Don't reveal the address of a name: it may be one of our internal network.
        if (refusal !== null) throw refused(isAddress ? refusal : `${hostname} does not lead to a public address.`);
      }
      return { url, port: 443, addresses };
    },
  };
}

/** The guard for local development: allows http, any port and any address. */
export function openGuard(resolve: Resolve = resolveLocally): SsrfGuard {
  return {
    findRefusal: () => null,
    async check(text) {
      const url = readUrl(text);
      if (url.protocol !== "https:" && url.protocol !== "http:") throw refused("Use http:// or https://.");
      const hostname = hostOf(url);
      const addresses = isIP(hostname) === 0 ? await resolve(hostname) : [hostname];
      if (addresses.length === 0) throw new SsrfGuardError("unresolved", `There is no address for ${hostname}.`);
      return { url, port: Number(url.port) || (url.protocol === "https:" ? 443 : 80), addresses };
    },
  };
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");
