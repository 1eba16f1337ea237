/** The one rule for e-mail addresses. Without zod: browser code uses it, too. */

/** The characters of a plain local part, and dots in any place: some carriers have given out addresses like `foo..@…`. */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/i;
/** A label of a host name. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** What a URL would read as something else than a part of the host's name. */
const NO_HOST = /[\s/?#:@%\\[\]<>]/;
const MAX_LENGTH = 254;

/**
 * The address in ASCII, with the `xn--` name of its domain; null if it can't be mailed. Quotes, comments, angle brackets
 * and lists can't: mail programs read them in ways of their own. Nor can letters beyond ASCII before the `@`, which few
 * servers take.
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

/** A mailable address as mail servers take it: dots in unusual places need quotes. */
export function addressForServers(text: string): string {
  const address = mailableAddress(text) ?? text;
  const [local = "", domain = ""] = address.split("@");
  return local.split(".").includes("") ? `"${local}"@${domain}` : address;
}
