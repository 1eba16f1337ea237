import { z } from "zod";
import { timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";

export const ENDPOINT_STATUSES = ["ENABLED", "DISABLED"] as const;
/** `manual`: by a user. `gone`: it returned 410. `failing`: unreachable for five days. */
export const DISABLED_REASONS = ["manual", "gone", "failing"] as const;
/** Notices to the owners of a failing endpoint, in this order. */
export const ENDPOINT_NOTICES = ["failing", "disabled"] as const;
export type EndpointNotice = (typeof ENDPOINT_NOTICES)[number];
export type NoticedEndpoint = { id: string; notice: EndpointNotice };
/** An unreachable endpoint, for our own pages. Times are ISO 8601. */
export type FailingEndpoint = {
  id: string;
  url: string;
  since: string;
  /** Time of its deactivation, unless a delivery succeeds before. */
  disabledAt: string;
};
/** Result of the newest attempt; `status` is null without a response. */
export type LastResponse = { status: number | null; failed: boolean };
export type DisabledReason = (typeof DISABLED_REASONS)[number];
export const PAYLOADS = ["full", "thin"] as const;
export type Payload = (typeof PAYLOADS)[number];
export const SIGNATURES = ["v1", "v1+v1a"] as const;
export const DELIVERY_STATUSES = ["PENDING", "DELIVERED", "FAILED"] as const;

/** Destination of events, as in the API and in its own events. */
export const webhookEndpoint = z
  .object({
    id: idOf("webhookEndpoint").describe("Unique id of the webhook endpoint."),
    object: z.literal("webhook_endpoint").describe("Always `webhook_endpoint`."),
    url: z.string().describe("Where events are sent."),
    description: z.string().nullable().describe("Your own note."),
    event_types: z.array(z.string()).describe('The types sent; `["*"]` for all.'),
    payload: z
      .enum(PAYLOADS)
      .describe("`full`: the whole event. `thin`: its type, ids and sequence; you fetch the rest."),
    signature: z.enum(SIGNATURES).describe("`v1`: HMAC-SHA256. `v1+v1a`: an Ed25519 signature as well."),
    status: z.enum(ENDPOINT_STATUSES).describe("Only `ENABLED` endpoints receive events."),
    disabled_reason: z
      .enum(DISABLED_REASONS)
      .nullable()
      .describe("`manual`: by you. `gone`: it returned 410. `failing`: every attempt failed for five days."),
    secret: z
      .string()
      .nullable()
      .describe("Verifies `v1` signatures. Shown once, in the response that creates or rotates it."),
    public_key: z.string().nullable().describe("Verifies `v1a` signatures; null without them."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When it last changed."),
  })
  .meta({ id: "WebhookEndpoint" });
export type WebhookEndpoint = z.infer<typeof webhookEndpoint>;
