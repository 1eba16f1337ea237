import { invoice } from "@/lib/contract/invoices/invoice";
import * as objects from "@/lib/contract/subscriptions/example-objects";
import { subscription } from "@/lib/contract/subscriptions/subscription";
import { dataOf, first } from "./payment-events";

const subscriptionData = dataOf(subscription, subscription.partial());
const invoiceData = dataOf(invoice, invoice.partial());

const trialing = objects.subscription;
const active = objects.activeSubscription;
const open = objects.openInvoice;
const paid = objects.invoice;
const AT = "2026-12-19T09:30:01.204Z";

/** Events of subscriptions and their invoices. */
export const SUBSCRIPTION_EVENTS = {
  "subscription.created": {
    summary: "A subscription was created.",
    data: subscriptionData,
    example: first(trialing),
  },
  "subscription.activated": {
    summary: "A subscription is paid up: its first period was paid, or what was past due.",
    data: subscriptionData,
    example: { object: active, previous: { status: "TRIALING" as const, updated_at: trialing.updated_at } },
  },
  "subscription.trial_will_end": {
    summary:
      "A trial ends in three days, or a shorter one has begun. Once for each trial. The first period is then charged.",
    data: subscriptionData,
    example: {
      object: { ...trialing, updated_at: "2026-11-30T12:34:20.640Z" },
      previous: { updated_at: trialing.updated_at },
    },
  },
  "subscription.updated": {
    summary: "A new period began, or the plan, quantity, card or another field of a subscription changed.",
    data: subscriptionData,
    example: { object: { ...active, quantity: 2 }, previous: { quantity: 1, updated_at: trialing.updated_at } },
  },
  "subscription.past_due": {
    summary: "An invoice could not be paid: attempts are planned, or another card is needed.",
    data: subscriptionData,
    example: {
      object: { ...active, status: "PAST_DUE" as const, updated_at: AT },
      previous: { status: "ACTIVE" as const, updated_at: active.updated_at },
    },
  },
  "subscription.paused": {
    summary: "A subscription was paused: no invoices until it is resumed.",
    data: subscriptionData,
    example: {
      object: {
        ...active,
        status: "PAUSED" as const,
        paused_at: AT,
        updated_at: AT,
        next_invoice_at: null,
        next_invoice_amount: null,
      },
      previous: { status: "ACTIVE" as const, paused_at: null, updated_at: active.updated_at },
    },
  },
  "subscription.resumed": {
    summary: "A paused subscription goes on: a new period began.",
    data: subscriptionData,
    example: { object: active, previous: { status: "PAUSED" as const, paused_at: AT } },
  },
  "subscription.cancelled": {
    summary: "A subscription ended: you cancelled it, its last period ended, or its last payment attempt failed.",
    data: subscriptionData,
    example: {
      object: {
        ...active,
        status: "CANCELLED" as const,
        cancelled_at: AT,
        ended_at: AT,
        updated_at: AT,
        next_invoice_at: null,
        next_invoice_amount: null,
      },
      previous: { status: "ACTIVE" as const, cancelled_at: null, ended_at: null, updated_at: active.updated_at },
    },
  },
  "subscription.expired": {
    summary: "The first payment of a subscription did not succeed within 23 hours: it never began.",
    data: subscriptionData,
    example: {
      object: {
        ...active,
        status: "EXPIRED" as const,
        ended_at: AT,
        updated_at: AT,
        next_invoice_at: null,
        next_invoice_amount: null,
      },
      previous: { status: "INCOMPLETE" as const, ended_at: null, updated_at: active.updated_at },
    },
  },
  "invoice.created": {
    summary: "An invoice was made.",
    data: invoiceData,
    example: first(open),
  },
  "invoice.opened": {
    summary: "An invoice got its number: from now on it is owed.",
    data: invoiceData,
    example: { object: open, previous: { status: "DRAFT" as const, number: null } },
  },
  "invoice.paid": {
    summary: "An invoice was paid, or nothing was due on it.",
    data: invoiceData,
    example: {
      object: paid,
      previous: { status: "OPEN" as const, amount_paid: 0, paid_at: null, updated_at: open.updated_at },
    },
  },
  "invoice.payment_failed": {
    summary: "A payment of an invoice failed: see `next_attempt_at`. Without one, it waits for another card.",
    data: invoiceData,
    example: {
      object: { ...open, attempts: 1, next_attempt_at: "2026-12-22T09:30:01.204Z", updated_at: AT },
      previous: { attempts: 0, next_attempt_at: open.next_attempt_at, updated_at: open.updated_at },
    },
  },
  "invoice.voided": {
    summary: "An invoice is no longer owed.",
    data: invoiceData,
    example: {
      object: { ...open, status: "VOID" as const, voided_at: AT, next_attempt_at: null, updated_at: AT },
      previous: { status: "OPEN" as const, voided_at: null, updated_at: open.updated_at },
    },
  },
  "invoice.uncollectible": {
    summary: "An invoice was not paid, and no payment is attempted anymore.",
    data: invoiceData,
    example: {
      object: { ...open, status: "UNCOLLECTIBLE" as const, next_attempt_at: null, updated_at: AT },
      previous: { status: "OPEN" as const, updated_at: open.updated_at },
    },
  },
} as const;
