import { randomBytes } from "node:crypto";
import type { Orm } from "@/db/client";
import { findPayment } from "@/db/queries/payments/payments";
import { ensureReceipts, findReceipt, listReceiptRefunds } from "@/db/queries/receipts";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { creditNoteNumber } from "@/lib/contract/invoices/credit-notes";
import { taxIn } from "@/lib/contract/invoices/tax";
import { MAX_REFUNDS } from "@/lib/contract/payments/payment";
import { type Receipt, receiptNumber } from "@/lib/contract/receipts/receipts";
import { API_ENVIRONMENTS } from "@/lib/contract/transactions/words";
import { idTime, newId } from "@/lib/ids";
import { logoInRow } from "../accounts/logo";
import { type Context, type Environment, resourceNotFound, type Service } from "../context";
import { invoiceNumber } from "../subscriptions/present";

const TOKEN = /^rcp_[A-Za-z0-9_-]{43}$/;

const newReceipt = (payment_id: string) => ({
  payment_id,
  token: `rcp_${randomBytes(32).toString("base64url")}`,
  created_at: idTime(newId()),
});

const receiptPath = (token: string): string => `/receipt/${token}`;

/** Payment (UUID) → path of its receipt, which never changes; creates missing ones. */
export async function receiptPaths(
  orm: Orm,
  environmentId: string,
  paymentIds: readonly string[],
): Promise<Map<string, string>> {
  const tokens = await ensureReceipts(orm, environmentId, [...new Set(paymentIds)].map(newReceipt));
  return new Map([...tokens].map(([id, token]) => [id, receiptPath(token)]));
}

/** Path of one payment's receipt. The caller must be allowed to see the payment. */
export async function receiptPathOf(
  { db }: Pick<Service, "db">,
  environment: Pick<Environment, "id">,
  paymentId: string,
): Promise<string> {
  const paths = await receiptPaths(db.within(environment.id).orm, environment.id, [paymentId]);
  const path = paths.get(paymentId);
  if (path === undefined) throw new Error("a receipt that was just made is there");
  return path;
}

/**
 * Path by public payment id. Throws not-found, and `invalid_state`
 * while nothing is captured, as there is no receipt then.
 */
export async function getReceiptPath(ctx: Context, input: { id: string }): Promise<string> {
  return receiptPathOf(ctx.service, ctx.environment, (await requireCaptured(ctx, input.id)).id);
}

/** A payment that has a receipt, and its charge. */
export async function requireCaptured(ctx: Context, publicId: string): Promise<{ id: string; chargeId: string }> {
  const id = decodeId("payment", publicId);
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const snapshot = id === null ? null : await findPayment(sql, ctx.environment.id, id);
  if (snapshot === null) throw resourceNotFound("payment", publicId);
  const { payment } = snapshot;
  if (payment.amount_captured > 0) return { id: payment.id, chargeId: payment.charge_id };
  throw new AppError("invalid_state", "Nothing was charged, so there is no receipt. Capture the payment first.", {
    extra: { current_status: payment.status, allowed_actions: [] },
  });
}

/** A receipt that its customer has opened. Ids are UUIDs. */
type OpenedReceipt = { readonly receipt: Receipt; readonly environmentId: string; readonly paymentId: string };

/** The receipt with a token; null for any other text, and while nothing is charged. */
export async function findReceiptByToken(service: Pick<Service, "db">, token: string): Promise<Receipt | null> {
  return (await openReceipt(service, token))?.receipt ?? null;
}

export async function openReceipt(service: Pick<Service, "db">, token: string): Promise<OpenedReceipt | null> {
  if (!TOKEN.test(token)) return null;
  const row = await findReceipt(service.db.sql, token);
  if (row === null) return null;
  const { sql } = service.db.within(row.environment_id);
  const refunds = await listReceiptRefunds(sql, row.environment_id, row.payment_id, MAX_REFUNDS);
  const id = encodeId("payment", row.payment_id);
  const receipt: Receipt = {
    number: receiptNumber(id),
    payment_id: id,
    environment: API_ENVIRONMENTS[row.mode],
    locale: row.locale,
    invoice_number: row.invoice_number === null ? null : invoiceNumber(row.invoice_number),
    merchant_name: row.merchant_name,
    support_email: row.support_email,
    business_address: row.business_address,
    tax_number: row.tax_number,
    website: row.website,
    logo: logoInRow(row),
    appearance: row.checkout_appearance,
    time_zone: row.time_zone,
    bought: row.plan_name ?? row.description,
    currency: row.currency,
    amount_captured: row.amount_captured,
    tax: taxIn(row.amount_captured, row),
    amount_refunded: row.amount_refunded,
    captured_at: row.captured_at,
    card: row.card_last4 === null ? null : { brand: row.card_brand, last4: row.card_last4 },
    refunds: refunds.map(({ number, ...refund }) => ({
      ...refund,
      credit_note: number === null ? null : creditNoteNumber(number),
    })),
  };
  return { receipt, environmentId: row.environment_id, paymentId: row.payment_id };
}
