import { z } from "zod";
import { clientSession } from "@/lib/contract/checkout/client-session";
import * as objects from "@/lib/contract/example-objects";
import { timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";
import { payment } from "@/lib/contract/payments/payment";
import { plan } from "@/lib/contract/plans/plan";
import { settlementBatch } from "@/lib/contract/settlement/settlement-batch";
import { transaction } from "@/lib/contract/transactions/transaction";
import { webhookEndpoint } from "@/lib/contract/webhooks/webhook-endpoint";

/**
 * What an event tells: the object as the API shows it then, and of the members that changed what they were before; null in
 * an object's first event.
 */
const dataOf = <O extends z.ZodType, P extends z.ZodType>(object: O, previous: P) =>
  z.strictObject({ object, previous: previous.nullable() });

/** Of the payment's transactions `previous` has those that changed, each with its id and its changed members. */
const paymentData = dataOf(
  payment,
  payment
    .omit({ transactions: true })
    .partial()
    .extend({ transactions: z.array(transaction.partial().required({ id: true })).optional() }),
);
const refundData = dataOf(transaction, transaction.partial());
const planData = dataOf(plan, plan.partial());
const sessionData = dataOf(clientSession, clientSession.partial());
const endpointData = dataOf(webhookEndpoint, webhookEndpoint.partial());
const batchData = dataOf(settlementBatch, settlementBatch.partial());

const { CHARGE_ID } = objects;
const AUTHORIZED = objects.paymentOf(objects.authorizedCharge, [], "manual");
const CAPTURED_AT = objects.capturedCharge.updated_at;
const SETTLED_AT = objects.settlementBatch.created_at;
const BATCH_ID = objects.settlementBatch.id;
const settled = { ...objects.charge, status: "SETTLED", settled_at: SETTLED_AT } as const;
/** An authorization that stands as it was: only the time of its last change moved. */
const stillAuthorized = { ...AUTHORIZED, updated_at: CAPTURED_AT };
const first = <O>(object: O) => ({ object, previous: null });
const failedRefund = {
  ...objects.refund,
  status: "FAILED",
  refunded_at: null,
  updated_at: "2026-11-20T12:06:22.801Z",
} as const;

/**
 * Everything that is told to merchants: what happened in a sentence, what the event holds, and an example of that. An event is
 * written in the commit that made it true.
 */
export const EVENTS = {
  "payment.authorized": {
    tells: "The card's issuer holds the amount; capture it or void it before `capture_before` of its charge.",
    data: paymentData,
    example: first(AUTHORIZED),
  },
  "payment.captured": {
    tells: "The amount, or the captured part of it, was taken from the card.",
    data: paymentData,
    example: first(objects.paymentOf(objects.charge)),
  },
  "payment.requires_action": {
    tells: "The card's issuer wants the shopper to confirm the payment at the address in `next_action`.",
    data: paymentData,
    example: first({
      ...objects.paymentOf(objects.pendingCharge),
      status: "REQUIRES_ACTION" as const,
      next_action: {
        type: "redirect_to_url" as const,
        redirect_to_url: { url: "https://cardlane.example/challenge/4Zl0" },
        expires_at: "2026-11-20T10:00:00.016Z",
      },
    }),
  },
  "payment.declined": {
    tells: "The card was declined and no money moved; `decline_code` of the charge says why.",
    data: paymentData,
    example: first(
      objects.paymentOf({ ...objects.pendingCharge, status: "DECLINED", decline_code: "insufficient_funds" }),
    ),
  },
  "payment.failed": {
    tells: "The processor could not complete the payment and no money moved.",
    data: paymentData,
    example: first(objects.paymentOf({ ...objects.pendingCharge, status: "FAILED" })),
  },
  "payment.capture_failed": {
    tells: "A capture did not go through; the authorization stands and can be captured again or voided.",
    data: paymentData,
    example: {
      object: stillAuthorized,
      previous: { available_actions: [], updated_at: AUTHORIZED.updated_at },
    },
  },
  "payment.voided": {
    tells: "The authorization was released without taking money: by you, or because its time ran out.",
    data: paymentData,
    example: {
      object: objects.paymentOf(objects.voidedCharge, [], "manual"),
      previous: {
        status: "AUTHORIZED",
        amount_capturable: 4999,
        transactions: [
          {
            id: CHARGE_ID,
            status: "AUTHORIZED",
            void_reason: null,
            capture_before: objects.authorizedCharge.capture_before,
            voided_at: null,
            updated_at: objects.authorizedCharge.updated_at,
          },
        ],
        updated_at: AUTHORIZED.updated_at,
      },
    },
  },
  "payment.void_failed": {
    tells: "A void did not go through; the authorization stands and can be voided again or captured.",
    data: paymentData,
    example: {
      object: stillAuthorized,
      previous: { available_actions: [], updated_at: AUTHORIZED.updated_at },
    },
  },
  "payment.settled": {
    tells: "The captured amount went out to you in the settlement batch that its charge names.",
    data: paymentData,
    example: {
      object: objects.paymentOf({ ...settled, settlement_batch_id: BATCH_ID, updated_at: SETTLED_AT }),
      previous: {
        status: "CAPTURED",
        transactions: [
          {
            id: CHARGE_ID,
            status: "CAPTURED",
            settlement_batch_id: null,
            settled_at: null,
            updated_at: objects.charge.updated_at,
          },
        ],
        updated_at: objects.charge.updated_at,
      },
    },
  },
  "refund.succeeded": {
    tells: "The processor accepted a refund; its money is on the way to the card.",
    data: refundData,
    example: first(objects.refund),
  },
  "refund.failed": {
    tells: "A refund failed, either immediately or after it was accepted; its amount can be refunded again.",
    data: refundData,
    example: {
      object: failedRefund,
      previous: {
        status: "CAPTURED",
        refunded_at: objects.refund.refunded_at,
        updated_at: objects.refund.updated_at,
      },
    },
  },
  "subscription_plan.created": {
    tells: "A subscription plan was created.",
    data: planData,
    example: first(objects.plan),
  },
  "subscription_plan.updated": {
    tells: "Members of a subscription plan other than its status changed.",
    data: planData,
    example: { object: objects.plan, previous: { name: "Pro", updated_at: "2026-11-19T12:11:55.002Z" } },
  },
  "subscription_plan.activated": {
    tells: "A subscription plan became active: it can be sold.",
    data: planData,
    example: {
      object: { ...objects.plan, status: "ACTIVE", updated_at: "2026-11-19T12:31:40.610Z" },
      previous: { status: "DRAFT", updated_at: objects.plan.updated_at },
    },
  },
  "subscription_plan.deactivated": {
    tells: "A subscription plan became inactive: it can no longer be sold.",
    data: planData,
    example: {
      object: { ...objects.plan, status: "INACTIVE", updated_at: "2026-11-20T08:02:19.337Z" },
      previous: { status: "ACTIVE", updated_at: "2026-11-19T12:31:40.610Z" },
    },
  },
  "client_session.created": {
    tells: "A client session was opened for one shopper and one amount; its token is not in the event.",
    data: sessionData,
    example: first(objects.session),
  },
  "client_session.cancelled": {
    tells: "A client session was cancelled: it takes no more attempts.",
    data: sessionData,
    example: {
      object: { ...objects.session, status: "CANCELLED", updated_at: "2026-11-20T09:25:51.703Z" },
      previous: { status: "OPEN", updated_at: objects.session.updated_at },
    },
  },
  "settlement_batch.created": {
    tells: "Captured charges and accepted refunds of one currency were settled in a batch.",
    data: batchData,
    example: first({ ...objects.settlementBatch, payout_id: null }),
  },
  "webhook_endpoint.disabled": {
    tells:
      "Nothing is sent to a webhook endpoint any more: it answered 410, nothing reached it for five days, or you said so.",
    data: endpointData,
    example: first({ ...objects.webhookEndpoint, status: "DISABLED" as const, disabled_reason: "failing" as const }),
  },
  "webhook_endpoint.test": {
    tells: "You asked for a test: it is sent to that webhook endpoint alone, whatever types it takes.",
    data: endpointData,
    example: first(objects.webhookEndpoint),
  },
} as const satisfies Record<string, { tells: string; data: z.ZodType; example: unknown }>;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];
/** What an event of a type holds. */
export type EventData<T extends EventType> = z.infer<(typeof EVENTS)[T]["data"]>;
/** The types that tell of one kind of object, by its `object` member. */
export type EventTypeOf<O extends EventData<EventType>["object"]["object"]> = {
  [T in EventType]: EventData<T>["object"]["object"] extends O ? T : never;
}[EventType];

/** Any event, as the API shows it. What each type's `data` holds is in the catalogue above. */
export const event = z
  .object({
    id: idOf("event").describe("Unique id of the event."),
    object: z.literal("event").describe("Always `event`."),
    type: z.enum(EVENT_TYPES).describe("What happened."),
    api_version: z.literal("v1").describe("The version of the API that shows the object."),
    environment: z.enum(["sandbox", "live"]).describe("Which of your two environments it belongs to."),
    sequence: z.int().min(1).describe("Counts the events of the object, so that late ones can be put in order."),
    created_at: timestamp.describe("When it happened."),
    data: z
      .object({
        object: z
          .discriminatedUnion("object", [payment, transaction, plan, clientSession, settlementBatch, webhookEndpoint])
          .describe("The object as it was then."),
        previous: z
          .record(z.string(), z.unknown())
          .nullable()
          .describe("The members that changed, as they were before; null in an object's first event."),
      })
      .describe("What happened to what."),
  })
  .meta({ id: "Event" });

/** An event of one type, to the last member. */
export const eventSchema = <T extends EventType>(type: T) =>
  z.strictObject({
    ...event.shape,
    type: z.literal(type),
    data: EVENTS[type].data,
  });
export type Event<T extends EventType = EventType> = {
  [K in T]: Omit<z.infer<ReturnType<typeof eventSchema<K>>>, "data"> & { data: EventData<K> };
}[T];
