import { BlockList, isIP } from "node:net";

/** Addresses and CIDR blocks as one set; throws on an entry that is neither. An IPv4 address matches in either notation. */
export function createAllowList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const parsed = parseEntry(entry);
    if (parsed === null) throw new Error(`not an address or CIDR block: ${entry}`);
    if (parsed.prefix === null) list.addAddress(parsed.address, parsed.family);
    else list.addSubnet(parsed.address, parsed.prefix, parsed.family);
  }
  return list;
}

export const isAllowListEntry = (entry: string): boolean => parseEntry(entry) !== null;

export function isListed(list: BlockList, ip: string): boolean {
  const version = isIP(ip);
  return version !== 0 && !ip.includes("%") && list.check(ip, version === 6 ? "ipv6" : "ipv4");
}

function parseEntry(entry: string) {
  const [address = "", prefixText, ...more] = entry.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || more.length > 0) return null;
  const family = version === 6 ? ("ipv6" as const) : ("ipv4" as const);
  if (prefixText === undefined) return { address, prefix: null, family };
  const prefix = Number(prefixText);
  return /^\d{1,3}$/.test(prefixText) && prefix <= (version === 6 ? 128 : 32) ? { address, prefix, family } : null;
}
