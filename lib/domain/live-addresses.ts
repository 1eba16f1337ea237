import { AppError, type FieldError } from "@/lib/contract/errors";
import type { Environment } from "./context";

type Addresses = { readonly allowed_origins?: readonly string[] | undefined; readonly return_url: string | null };

const MESSAGE =
  "In live mode this must begin with https://, so that nobody on the way can change the page around a payment.";

/**
 * Throws `invalid_parameter` for a live payment whose shopper would be on, or sent to, a page that travels in the clear. Test
 * mode takes http, because shops are built on people's own machines.
 */
export function requireSecureAddresses({ mode }: Environment, { allowed_origins = [], return_url }: Addresses): void {
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
