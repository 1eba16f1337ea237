import { z } from "zod";
import { listOf, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";
import { DELIVERY_STATUSES, PAYLOADS } from "./webhook-endpoint";

export const DELIVERY_STATUS = z.enum(DELIVERY_STATUSES);
export type DeliveryStatus = z.infer<typeof DELIVERY_STATUS>;

/** Delivery of one event to one endpoint. */
export const webhookDelivery = z
  .object({
    id: idOf("webhookDelivery").describe("Unique id of the delivery."),
    object: z.literal("webhook_delivery").describe("Always `webhook_delivery`."),
    webhook_endpoint_id: idOf("webhookEndpoint").describe("Where it goes."),
    event_id: idOf("event").describe("The event; also the `webhook-id` of every attempt."),
    event_type: z.string().describe("Type of the event."),
    status: DELIVERY_STATUS.describe(
      "`PENDING` while attempts are left, `DELIVERED` after a 2xx response, `FAILED` after the last attempt.",
    ),
    attempt_count: z.int().describe("Attempts so far."),
    next_attempt_at: timestamp.nullable().describe("When it is tried next; null when no attempt remains."),
    delivered_at: timestamp.nullable().describe("When the endpoint returned 2xx."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    created_at: timestamp.describe("When the event happened."),
    updated_at: timestamp.describe("When it last changed."),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

/** One request to the endpoint and its response. */
const webhookAttempt = z
  .object({
    created_at: timestamp.describe("When it was sent."),
    duration_ms: z.int().describe("How long it took, in milliseconds."),
    request: z
      .object({
        url: z.string().describe("Where it was sent."),
        headers: z.record(z.string(), z.string()).describe("The headers it was sent with."),
        payload: z.enum(PAYLOADS).describe("Whether the body was the whole event or only its ids."),
      })
      .describe("What was sent."),
    response: z
      .object({
        status: z.int().describe("The HTTP status."),
        body: z
          .string()
          .describe("The body: its first 4 kB, or 512 bytes where the status is 2xx, with card numbers masked."),
      })
      .nullable()
      .describe("The response; null when there was none."),
    error: z.string().nullable().describe("What went wrong; null when it was delivered."),
  })
  .meta({ id: "WebhookAttempt" });
export type WebhookAttempt = z.infer<typeof webhookAttempt>;

export const webhookDeliveryDetail = webhookDelivery
  .extend({ attempts: z.array(webhookAttempt).describe("Its latest 20 attempts, newest first.") })
  .meta({ id: "WebhookDeliveryDetail" });
export type WebhookDeliveryDetail = z.infer<typeof webhookDeliveryDetail>;

export const webhookDeliveryList = listOf(webhookDelivery).meta({ id: "WebhookDeliveryList" });
