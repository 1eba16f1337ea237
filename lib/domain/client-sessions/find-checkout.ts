import { type CheckoutRow, findCheckoutRow } from "@/db/queries/checkout";
import { sha256 } from "@/lib/secret";
import type { Environment, Service } from "../context";

/** A session as its payment form knows it, by the token that is in the form's address. */
export type Checkout = { readonly environment: Environment; readonly row: CheckoutRow };

const TOKEN = /^cst_[A-Za-z0-9_-]{43}$/;

/** Null for any text that is no session's token. */
export async function findCheckout(service: Service, token: string): Promise<Checkout | null> {
  if (!TOKEN.test(token)) return null;
  const row = await findCheckoutRow(service.db.sql, sha256(token));
  return row && { row, environment: { id: row.environment_id, mode: row.mode, merchantId: row.merchant_id } };
}
