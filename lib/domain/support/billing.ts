import { clockSettingOf } from "@/db/queries/clock";
import { findOwner } from "@/db/queries/support/payment";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { SupportDispute, SupportInvoice, SupportOwner, SupportSubscription } from "@/lib/contract/support/billing";
import { BILLING_SHOWN } from "@/lib/contract/support/merchant-view";
import { type Context, resourceNotFound } from "../context";
import { getDisputeDetail } from "../disputes/dispute-pages";
import { getInvoiceDetail } from "../invoices/invoice-detail";
import { listInvoices } from "../invoices/read-invoices";
import { getSubscription } from "../subscriptions/read-subscriptions";
import { inEnvironment, type StaffCall } from "./staff";
import { recordStaffAct } from "./staff-acts";

/** Any merchant's invoice in the merchant's view. Throws `resource_not_found`. */
export async function getSupportInvoice(call: StaffCall, input: { id: string }): Promise<SupportInvoice> {
  const { ctx, owner } = await open(call, "invoice", input.id);
  return { ...owner, detail: await getInvoiceDetail(ctx, input) };
}

/** Any merchant's subscription with its newest invoices. Throws `resource_not_found`. */
export async function getSupportSubscription(call: StaffCall, input: { id: string }): Promise<SupportSubscription> {
  const { ctx, owner } = await open(call, "subscription", input.id);
  const [subscription, invoices] = await Promise.all([
    getSubscription(ctx, input),
    listInvoices(ctx, { subscription_id: input.id, limit: BILLING_SHOWN }),
  ]);
  return {
    ...owner,
    subscription,
    invoices: invoices.data.map((invoice) => ({
      id: invoice.id,
      number: invoice.number,
      status: invoice.status,
      amountDue: invoice.amount_due,
      currency: invoice.currency,
      customerId: invoice.customer_id,
      nextAttemptAt: invoice.next_attempt_at,
      createdAt: invoice.created_at,
    })),
  };
}

/** Any merchant's dispute in the merchant's view. Throws `resource_not_found`. */
export async function getSupportDispute(call: StaffCall, input: { id: string }): Promise<SupportDispute> {
  const { ctx, owner } = await open(call, "dispute", input.id);
  return { ...owner, detail: await getDisputeDetail(ctx, input) };
}

const TABLES = { invoice: "invoices", subscription: "subscriptions", dispute: "disputes" } as const;

/** The environment of an object, as the merchant's. The look-up is recorded. */
async function open(
  call: StaffCall,
  kind: keyof typeof TABLES,
  publicId: string,
): Promise<{ ctx: Context; owner: SupportOwner }> {
  const { service, staff, request } = call;
  const id = decodeId(kind, publicId);
  const found = id && (await findOwner(service.db.sql, TABLES[kind], id));
  if (!found) throw resourceNotFound(kind, publicId);
  await recordStaffAct(service, staff, {
    action: `support.viewed_${kind}`,
    merchantId: found.merchantId,
    environmentId: found.id,
    objectId: publicId,
    requestId: request.id,
  });
  return {
    ctx: inEnvironment(call, { ...found, clock: clockSettingOf(found) }),
    owner: {
      environment: { id: encodeId("environment", found.id), mode: found.mode },
      merchant: { id: encodeId("merchant", found.merchantId), name: found.merchant_name },
    },
  };
}
