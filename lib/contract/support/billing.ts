import type { DisputeDetail } from "@/lib/contract/disputes/list";
import type { InvoiceDetail } from "@/lib/contract/invoices/invoice-detail";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import type { Mode } from "@/lib/contract/transactions/words";
import type { MerchantInvoice } from "./merchant-view";

/** Owner of an object. Ids are public ones. */
export type SupportOwner = {
  readonly environment: { readonly id: string; readonly mode: Mode };
  readonly merchant: { readonly id: string; readonly name: string };
};

export type SupportInvoice = SupportOwner & { readonly detail: InvoiceDetail };

export type SupportDispute = SupportOwner & { readonly detail: DisputeDetail };

export type SupportSubscription = SupportOwner & {
  readonly subscription: Subscription;
  /** The newest. */
  readonly invoices: readonly MerchantInvoice[];
};
