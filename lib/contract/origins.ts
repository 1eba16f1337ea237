import { AppError, type FieldError } from "./errors";
import type { Mode } from "./transaction-words";

/** Origins become part of a Content-Security-Policy; URLs allow characters in host names that would end it. */
const PLAIN_ORIGIN = /^https?:\/\/[\w.-]+(:\d+)?$|^https?:\/\/\[[\da-f:]+\](:\d+)?$/;

/** Whether a text is an origin as browsers write it: scheme and host, no path. */
export const isOrigin = (text: string): boolean =>
  PLAIN_ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text;

type Addresses = { readonly allowed_origins?: readonly string[] | undefined; readonly return_url: string | null };

const MESSAGE =
  "In live mode this must begin with https://, so that nobody on the way can change the page around a payment.";

/**
 * Throws `invalid_parameter` for a live payment whose shopper would be on, or sent to, a page that travels in the clear. Test
 * mode takes http, because shops are built on people's own machines.
 */
export function requireSecureAddresses(
  { mode }: { readonly mode: Mode },
  { allowed_origins = [], return_url }: Addresses,
): void {
  if (mode !== "live") return;
  const given: [param: string, address: string | null][] = [
    ...allowed_origins.map((origin, index): [string, string] => [`allowed_origins.${index}`, origin]),
    ["return_url", return_url],
  ];
  const errors = given
    .filter(([, address]) => address !== null && !/^https:/i.test(address))
    .map(([param]): FieldError => ({ param, code: "invalid_parameter", message: MESSAGE }));
  const [first] = errors;
  if (first) throw new AppError("invalid_parameter", `${first.param}: ${MESSAGE}`, { param: first.param, errors });
}
