/** The one rule for e-mail addresses. Without zod, because browser code uses it. */

/** A plain local part, with dots anywhere: some carriers have assigned addresses like `foo..@…`. */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/i;
/** A label of a host name. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Characters that a URL parser wouldn't treat as part of a host name. */
const NO_HOST = /[\s/?#:@%\\[\]<>]/;
const MAX_LENGTH = 254;

/**
 * The address in ASCII, with its domain in `xn--` form; null if unmailable. Quotes, comments, angle brackets
 * and lists are, because mail programs parse them differently, and so are non-ASCII letters before the `@`,
 * which few servers accept.
 */
export function mailableAddress(text: string): string | null {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(0, at));
  const domain = asciiDomain(text.slice(at + 1));
  const address = `${local}@${domain}`;
  return domain !== null && LOCAL.test(local) && address.length <= MAX_LENGTH ? address : null;
}

export const isMailable = (text: string): boolean => mailableAddress(text) !== null;

function asciiDomain(domain: string): string | null {
  if (NO_HOST.test(domain) || !URL.canParse(`http://${domain}`)) return null;
  const { hostname } = new URL(`http://${domain}`);
  const labels = hostname.split(".");
  return labels.every((label) => LABEL.test(label)) && /\D/.test(labels.at(-1) ?? "") ? hostname : null;
}

/** A mailable address for SMTP: dots in unusual positions need quotes. */
export function addressForServers(text: string): string {
  const address = mailableAddress(text) ?? text;
  const [local = "", domain = ""] = address.split("@");
  return local.split(".").includes("") ? `"${local}"@${domain}` : address;
}
