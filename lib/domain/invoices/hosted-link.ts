import type { InvoiceRow } from "@/db/schema/subscriptions";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { Service } from "../context";

/** Public address of links, and the secret that they are derived from. */
export type Links = Pick<Service, "baseUrl" | "secret">;

type InvoiceKey = Pick<InvoiceRow, "environment_id" | "id">;

const PURPOSE = "invoice";

const subjectOf = ({ environment_id, id }: InvoiceKey): string =>
  `${encodeId("environment", environment_id)}.${encodeId("invoice", id)}`;

/**
 * Address of the page on which the customer sees, prints and pays an invoice. Derived instead of stored, so
 * that it can be shown again at any time. A DRAFT has no page yet.
 */
export function invoiceUrl({ baseUrl, secret }: Links, invoice: InvoiceKey): string {
  const subject = subjectOf(invoice);
  return `${baseUrl}/invoice/${subject}.${secret.mac(PURPOSE, subject)}`;
}

/** The invoice that a token of ours names; null for any other text. */
export function readInvoiceToken({ secret }: Pick<Links, "secret">, token: string): InvoiceKey | null {
  const [environmentText = "", invoiceText = "", mac = ""] = token.split(".");
  const environment_id = decodeId("environment", environmentText);
  const id = decodeId("invoice", invoiceText);
  if (environment_id === null || id === null) return null;
  const subject = subjectOf({ environment_id, id });
  return token === `${subject}.${mac}` && secret.isMac(PURPOSE, subject, mac) ? { environment_id, id } : null;
}
