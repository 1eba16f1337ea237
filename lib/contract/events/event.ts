import { z } from "zod";
import { apiKey } from "@/lib/contract/api-keys/api-keys";
import { approvalRequestObject } from "@/lib/contract/approvals/approvals";
import { clientSession } from "@/lib/contract/checkout/client-session";
import { dispute } from "@/lib/contract/disputes/dispute";
import * as objects from "@/lib/contract/example-objects";
import { timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";
import { invoice } from "@/lib/contract/invoices/invoice";
import { paymentMethod } from "@/lib/contract/payment-methods/payment-method";
import { payment } from "@/lib/contract/payments/payment";
import { plan } from "@/lib/contract/plans/plan";
import { payout } from "@/lib/contract/settlement/payout";
import { settlementBatch } from "@/lib/contract/settlement/settlement-batch";
import { plan as examplePlan } from "@/lib/contract/subscriptions/example-objects";
import { subscription } from "@/lib/contract/subscriptions/subscription";
import { transaction } from "@/lib/contract/transactions/transaction";
import { webhookEndpoint } from "@/lib/contract/webhooks/webhook-endpoint";
import { DISPUTE_EVENTS } from "./dispute-events";
import { dataOf, first, PAYMENT_EVENTS } from "./payment-events";
import { SUBSCRIPTION_EVENTS } from "./subscription-events";

const planData = dataOf(plan, plan.partial());
const methodData = dataOf(paymentMethod, paymentMethod.partial());
const sessionData = dataOf(clientSession, clientSession.partial());
const endpointData = dataOf(webhookEndpoint, webhookEndpoint.partial());
const batchData = dataOf(settlementBatch, settlementBatch.partial());
const payoutData = dataOf(payout, payout.partial());
/** When the bank accepts or refuses the example, the bank day after its creation. */
const ARRIVED_AT = "2026-11-23T01:01:05.793Z";
const keyData = dataOf(apiKey, apiKey.partial());
const approvalData = dataOf(approvalRequestObject, approvalRequestObject.partial());
const KEY_CHANGED_AT = "2026-11-20T14:45:10.092Z";

/** Catalog of events: sentence, schema and example. An event is written in the commit that makes it true. */
export const EVENTS = {
  ...PAYMENT_EVENTS,
  ...DISPUTE_EVENTS,
  "payment_method.created": {
    summary: "A customer's card was stored for later payments.",
    data: methodData,
    example: first(objects.paymentMethod),
  },
  "payment_method.updated": {
    summary: "The card's network renewed a stored card: it has a new expiry or number, and is charged as before.",
    data: methodData,
    example: {
      object: objects.paymentMethod,
      previous: {
        card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2026, bin: "424242" },
        updated_at: "2026-10-02T07:44:19.020Z",
      },
    },
  },
  "payment_method.expiring": {
    summary:
      "The last month in which a stored card can be charged has begun, or the card was stored in it. Once for each expiry.",
    data: methodData,
    example: {
      object: { ...objects.paymentMethod, updated_at: "2026-12-01T00:00:00.412Z" },
      previous: { updated_at: objects.paymentMethod.updated_at },
    },
  },
  "payment_method.removed": {
    summary: "A stored card was removed, by you or at the processor: it is never charged again.",
    data: methodData,
    example: {
      object: objects.removedPaymentMethod,
      previous: { status: "ACTIVE", updated_at: objects.paymentMethod.updated_at },
    },
  },
  ...SUBSCRIPTION_EVENTS,
  "subscription_plan.created": {
    summary: "A subscription plan was created.",
    data: planData,
    example: first(examplePlan),
  },
  "subscription_plan.updated": {
    summary: "Fields of a subscription plan other than its status changed.",
    data: planData,
    example: { object: examplePlan, previous: { name: "Pro", updated_at: "2026-11-19T12:11:55.002Z" } },
  },
  "subscription_plan.activated": {
    summary: "A subscription plan became active: it can be sold.",
    data: planData,
    example: {
      object: { ...examplePlan, status: "ACTIVE", updated_at: "2026-11-19T12:31:40.610Z" },
      previous: { status: "DRAFT", updated_at: examplePlan.updated_at },
    },
  },
  "subscription_plan.deactivated": {
    summary: "A subscription plan became inactive: it can no longer be sold.",
    data: planData,
    example: {
      object: { ...examplePlan, status: "INACTIVE", updated_at: "2026-11-20T08:02:19.337Z" },
      previous: { status: "ACTIVE", updated_at: "2026-11-19T12:31:40.610Z" },
    },
  },
  "client_session.created": {
    summary: "A client session was opened for one shopper and one amount; its token is not in the event.",
    data: sessionData,
    example: first(objects.session),
  },
  "client_session.completed": {
    summary: "A payment of a client session was captured or authorized: see `payment_id`.",
    data: sessionData,
    example: {
      object: {
        ...objects.session,
        status: "COMPLETED",
        payment_id: objects.PAYMENT_ID,
        attempts_left: 4,
        updated_at: "2026-11-20T09:21:44.518Z",
      },
      previous: { status: "OPEN", payment_id: null, updated_at: "2026-11-20T09:21:43.127Z" },
    },
  },
  "client_session.expired": {
    summary:
      "The time or the attempts of a client session ran out. If a card token was created in it before, a payment with that token can still complete it.",
    data: sessionData,
    example: { object: { ...objects.session, status: "EXPIRED" }, previous: { status: "OPEN" } },
  },
  "client_session.cancelled": {
    summary: "A client session was cancelled: it takes no more attempts.",
    data: sessionData,
    example: {
      object: { ...objects.session, status: "CANCELLED", updated_at: "2026-11-20T09:25:51.703Z" },
      previous: { status: "OPEN", updated_at: objects.session.updated_at },
    },
  },
  "settlement_batch.created": {
    summary: "Captured charges and accepted refunds of one currency were settled in a batch.",
    data: batchData,
    example: first({ ...objects.settlementBatch, payout_id: null }),
  },
  "payout.created": {
    summary: "Settled money leaves your balance for your bank. It arrives on `arrival_date`.",
    data: payoutData,
    example: first({ ...objects.payout, status: "PENDING" as const, updated_at: objects.payout.created_at }),
  },
  "payout.paid": {
    summary: "A payout reached your bank.",
    data: payoutData,
    example: {
      object: { ...objects.payout, status: "PAID" as const, updated_at: ARRIVED_AT },
      previous: { status: objects.payout.status, updated_at: objects.payout.updated_at },
    },
  },
  "payout.failed": {
    summary: "Your bank refused a payout: see `failure_reason`. The money is available again.",
    data: payoutData,
    example: {
      object: { ...objects.refusedPayout, updated_at: ARRIVED_AT },
      previous: { status: objects.payout.status, failure_reason: null, updated_at: objects.payout.updated_at },
    },
  },
  "api_key.created": {
    summary:
      "An API key was created, either new or by rotating the key in `rotated_from`. Its secret is not in the event.",
    data: keyData,
    example: first(objects.apiKey),
  },
  "api_key.updated": {
    summary: "The name, permissions, expiry or allowed addresses of an API key changed.",
    data: keyData,
    example: {
      object: { ...objects.apiKey, name: "Shop server", updated_at: KEY_CHANGED_AT },
      previous: { name: "Server", updated_at: objects.apiKey.updated_at },
    },
  },
  "api_key.disabled": {
    summary: "An API key was disabled: requests with it are refused until it is enabled again.",
    data: keyData,
    example: {
      object: {
        ...objects.apiKey,
        status: "DISABLED" as const,
        available_actions: ["edit", "enable", "revoke"],
        updated_at: KEY_CHANGED_AT,
      },
      previous: {
        status: "ACTIVE",
        available_actions: objects.apiKey.available_actions,
        updated_at: objects.apiKey.updated_at,
      },
    },
  },
  "api_key.enabled": {
    summary: "A disabled API key works again.",
    data: keyData,
    example: {
      object: { ...objects.apiKey, updated_at: "2026-11-20T15:02:33.871Z" },
      previous: {
        status: "DISABLED",
        available_actions: ["edit", "enable", "revoke"],
        updated_at: KEY_CHANGED_AT,
      },
    },
  },
  "api_key.rotated": {
    summary: "The API key in `replaced_by` replaced this one, which works until `expires_at`.",
    data: keyData,
    example: {
      object: {
        ...objects.apiKey,
        expires_at: "2026-11-21T14:45:10.092Z",
        replaced_by: objects.ROTATED_KEY_ID,
        available_actions: ["disable", "revoke"],
        updated_at: KEY_CHANGED_AT,
      },
      previous: {
        expires_at: null,
        replaced_by: null,
        available_actions: objects.apiKey.available_actions,
        updated_at: objects.apiKey.updated_at,
      },
    },
  },
  "api_key.revoked": {
    summary: "An API key was revoked: it never works again.",
    data: keyData,
    example: {
      object: {
        ...objects.apiKey,
        status: "REVOKED" as const,
        available_actions: [],
        updated_at: KEY_CHANGED_AT,
      },
      previous: {
        status: "ACTIVE",
        available_actions: objects.apiKey.available_actions,
        updated_at: objects.apiKey.updated_at,
      },
    },
  },
  "approval_request.created": {
    summary: "A member of your team requested approval of a refund, a bank account, a live key or a weaker rule.",
    data: approvalData,
    example: first(objects.approvalRequest),
  },
  "approval_request.approved": {
    summary:
      "A colleague approved a request: the refund begins, or the change is made. The refund's own events report its outcome.",
    data: approvalData,
    example: {
      object: {
        ...objects.approvalRequest,
        status: "APPROVED" as const,
        decided_by: { id: objects.APPROVER_ID },
        decided_at: "2026-11-20T16:02:11.480Z",
        result: objects.refund.id,
      },
      previous: { status: "PENDING", decided_by: null, decided_at: null, result: null },
    },
  },
  "approval_request.rejected": {
    summary: "A colleague rejected a request, so nothing was done.",
    data: approvalData,
    example: {
      object: {
        ...objects.approvalRequest,
        status: "REJECTED" as const,
        decided_by: { id: objects.APPROVER_ID },
        decided_at: "2026-11-20T16:02:11.480Z",
        comment: "The parcel arrived on Friday.",
      },
      previous: { status: "PENDING", decided_by: null, decided_at: null, comment: null },
    },
  },
  "webhook_endpoint.disabled": {
    summary:
      "A webhook endpoint was disabled: it returned 410, every delivery failed for five days, or you disabled it.",
    data: endpointData,
    example: first({ ...objects.webhookEndpoint, status: "DISABLED" as const, disabled_reason: "failing" as const }),
  },
  "webhook_endpoint.test": {
    summary: "You requested a test event. It is sent to that webhook endpoint only, whatever types it subscribes to.",
    data: endpointData,
    example: first(objects.webhookEndpoint),
  },
} as const satisfies Record<string, { summary: string; data: z.ZodType; example: unknown }>;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];
/** Data of an event type. */
export type EventData<T extends EventType> = z.infer<(typeof EVENTS)[T]["data"]>;
/** Event types of one kind of object, by its `object` member. */
export type EventTypeOf<O extends EventData<EventType>["object"]["object"]> = {
  [T in EventType]: EventData<T>["object"]["object"] extends O ? T : never;
}[EventType];

/** Any event, as in the API. The catalog above defines each type's `data`. */
export const event = z
  .object({
    id: idOf("event").describe("Unique id of the event."),
    object: z.literal("event").describe("Always `event`."),
    type: z.enum(EVENT_TYPES).describe("What happened."),
    api_version: z.literal("v1").describe("The API version of the object."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    sequence: z.int().min(1).describe("Counts the object's events, so that you can order late ones."),
    created_at: timestamp.describe("When it happened."),
    data: z
      .object({
        object: z
          .discriminatedUnion("object", [
            payment,
            transaction,
            paymentMethod,
            plan,
            clientSession,
            settlementBatch,
            payout,
            dispute,
            apiKey,
            approvalRequestObject,
            webhookEndpoint,
            subscription,
            invoice,
          ])
          .describe("The object as it was at the time."),
        previous: z
          .record(z.string(), z.unknown())
          .nullable()
          .describe("The previous values of the fields that changed; null in an object's first event."),
      })
      .describe("The object and what changed."),
  })
  .meta({ id: "Event" });

/** Complete schema of one event type. */
export const eventSchema = <T extends EventType>(type: T) =>
  z.strictObject({
    ...event.shape,
    type: z.literal(type),
    data: EVENTS[type].data,
  });
export type Event<T extends EventType = EventType> = {
  [K in T]: Omit<z.infer<ReturnType<typeof eventSchema<K>>>, "data"> & { data: EventData<K> };
}[T];
