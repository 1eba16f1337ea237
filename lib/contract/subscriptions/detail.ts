import type { LinkedCustomer } from "@/lib/contract/customers/customer";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import type { PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import type { ShownActor } from "@/lib/contract/payments/payment-detail";
import type { SubscriptionAction } from "./statuses";
import type { BoughtPlan, Subscription } from "./subscription";

/** A subscription in full, for its page. Types only, because browser code imports this file. */
export type SubscriptionDetail = {
  subscription: Subscription;
  /** Actions that its status allows. */
  actions: readonly SubscriptionAction[];
  /** The card on file; null if it is gone. */
  card: PaymentMethod | null;
  /** Null until the customer is known. */
  customer: LinkedCustomer | null;
  /** Newest first. */
  invoices: readonly Invoice[];
  /** It has more invoices than these. */
  more_invoices: boolean;
  /** The next period's invoice as it would be made now, with a pending change; null if none is planned. */
  next_invoice: Invoice | null;
  /** The oldest unpaid invoice. */
  unpaid: UnpaidDetail | null;
  /** Amount of a prorated refund if it were cancelled now, in minor units. */
  refundable: number;
  /** Amount that resuming would charge now; null unless it is paused. */
  resume_invoice: Invoice | null;
  /** The plan of a pending change. */
  pending_plan: BoughtPlan | null;
  /** Newest first. */
  timeline: readonly SubscriptionEntry[];
  /** The timeline has earlier entries. */
  more_entries: boolean;
};

type UnpaidDetail = {
  invoice: Invoice;
  /** Number of the next automatic attempt, and of all of them. */
  attempt: number;
  of: number;
  /** Its last attempt follows the merchant's settings: the subscription ends, or stays past due. */
  cancels: boolean;
};

/** An event as a timeline entry. */
export type SubscriptionEntry = {
  /** `evt_…` */
  id: string;
  type: string;
  at: string;
  /** Null if it isn't known who did it. */
  actor: ShownActor | null;
  /** `req_…` */
  request_id: string | null;
  subject: { subscription: Subscription; previous: Partial<Subscription> | null } | { invoice: Invoice };
};
