import { env } from "@/lib/env";

/**
 * Headers that restrict browsers. Names are lower case, because they are compared with those that a handler
 * set.
 */
type Headers = Readonly<Record<string, string>>;

const YEARS_2_SECONDS = 63_072_000;

const isHttps = () => env.baseUrl.startsWith("https:");

const EVERYWHERE: Headers = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
};

/** Policy of responses that are not pages: nothing may be loaded, framed or sent. */
export const CLOSED_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Only for this host: the operator decides about the other hosts of the domain. */
function withStrictTransport(headers: Headers): Headers {
  return { ...headers, "strict-transport-security": `max-age=${YEARS_2_SECONDS}` };
}

const DATA: Headers = { ...EVERYWHERE, "content-security-policy": CLOSED_POLICY };
const DATA_BY_HTTPS = withStrictTransport(DATA);

/**
 * Headers of the API's responses, and of all others that are not pages. One shared object, because every
 * response needs it.
 */
export const dataHeaders = (): Headers => (isHttps() ? DATA_BY_HTTPS : DATA);

const FEATURES = ["camera", "display-capture", "geolocation", "microphone", "midi", "payment", "serial", "usb"];
const PERMISSIONS_POLICY = FEATURES.map((feature) => `${feature}=()`).join(", ");

const PAGE: Headers = {
  ...EVERYWHERE,
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": PERMISSIONS_POLICY,
};

/** Headers of a page, without its policy. */
export const pageHeaders = (): Headers => (isHttps() ? withStrictTransport(PAGE) : PAGE);

/** Header that passes a policy's nonce to its page. */
export const NONCE_HEADER = "x-cardlane-nonce";

/**
 * Policy of a page that is rendered for one request. Scripts need the nonce, or a loader that has it; styles
 * are our own files or need it. In development Next's own tools use eval and style attributes.
 */
export const pagePolicy = (nonce: string): string =>
  env.isDevelopment
    ? policyWith(`'nonce-${nonce}' 'strict-dynamic' 'unsafe-eval'`, "'self' 'unsafe-inline'")
    : policyWith(`'nonce-${nonce}' 'strict-dynamic'`, `'self' 'nonce-${nonce}'`);

/**
 * Policy of a page that everyone gets alike: our own files, and its inline scripts by their SHA-256 in
 * Base64.
 */
export const publicPagePolicy = (digests: readonly string[]): string =>
  policyWith(["'self'", ...digests.map((digest) => `'sha256-${digest}'`)].join(" "), "'self'");

function policyWith(scripts: string, styles: string): string {
  const policy: Record<string, string> = {
    "default-src": "'none'",
    "script-src": scripts,
    "style-src": styles,
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "frame-src": "'self'",
    "manifest-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
  };
  const rules = Object.entries(policy).map(([name, values]) => `${name} ${values}`);
  return [...rules, ...(isHttps() ? ["upgrade-insecure-requests"] : [])].join("; ");
}
