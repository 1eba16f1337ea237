import { z } from "zod";
import { BODY_ERRORS, endpoint, IDEMPOTENCY_ERRORS, QUERY_ERRORS } from "@/lib/contract/endpoint";
import { EVENT_TYPES } from "@/lib/contract/events/event";
import {
  humanText,
  instant,
  instantOf,
  isInOrder,
  isPagedOnce,
  listOf,
  OUT_OF_ORDER,
  PAGED_TWICE,
  pageParams,
  queryLimit,
  queryOffset,
  refuseCardNumber,
  text,
} from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";
import { DELIVERY_STATUS, webhookDelivery, webhookDeliveryDetail, webhookDeliveryList } from "./webhook-delivery";
import { ENDPOINT_STATUSES, PAYLOADS, SIGNATURES, webhookEndpoint } from "./webhook-endpoint";

const eventType = z.enum(EVENT_TYPES);
const url = text(2048)
  .superRefine(refuseCardNumber)
  .describe("Where events are sent: https on port 443, at a public address.");
const eventTypes = z
  .array(z.enum(["*", ...EVENT_TYPES]))
  .min(1)
  .max(EVENT_TYPES.length)
  .refine((types) => types.length === 1 || !types.includes("*"), 'Send "*" alone: it stands for all types.')
  .describe('The types to send; `["*"]` for all, including future ones.');
const payload = z
  .enum(PAYLOADS)
  .describe("`full`: the whole event. `thin`: its type, ids and sequence; you fetch the rest.");
const signature = z.enum(SIGNATURES).describe("`v1`: HMAC-SHA256. `v1+v1a`: an Ed25519 signature as well.");
const description = humanText(500).nullable();

/** Body of POST /v1/webhook-endpoints. */
const createWebhookEndpointBody = z
  .strictObject({
    url,
    description: description.default(null).describe("Your own note."),
    event_types: eventTypes.default(["*"]),
    payload: payload.default("full"),
    signature: signature.default("v1"),
  })
  .meta({ id: "CreateWebhookEndpointRequest" });
export type CreateWebhookEndpointBody = z.infer<typeof createWebhookEndpointBody>;

/** Body of PATCH /v1/webhook-endpoints/{id}: absent fields stay. */
const updateWebhookEndpointBody = z
  .strictObject({
    url: url.optional(),
    description: description.optional().describe("Your own note."),
    event_types: eventTypes.optional(),
    payload: payload.optional(),
    signature: signature.optional(),
    status: z
      .enum(ENDPOINT_STATUSES)
      .optional()
      .describe("While it is `DISABLED`, new events are not sent and pending deliveries wait."),
  })
  .meta({ id: "UpdateWebhookEndpointRequest" });
export type UpdateWebhookEndpointBody = z.infer<typeof updateWebhookEndpointBody>;

const shared = {
  tag: "Webhooks",
  permissions: ["webhook_endpoint.write"],
  idempotency: "none",
  status: 200,
} as const;
const reading = { ...shared, method: "GET", permissions: ["webhook_endpoint.read"] } as const;
const once = { ...shared, method: "POST", idempotency: "optional" } as const;

export const createWebhookEndpoint = endpoint({
  ...once,
  name: "createWebhookEndpoint",
  path: "/v1/webhook-endpoints",
  summary: "Create a webhook endpoint",
  description:
    "Events are sent there from now on, signed as Standard Webhooks specifies. Only this response shows the secret. " +
    "Each url can have one endpoint; deleting it frees the url.",
  body: createWebhookEndpointBody,
  status: 201,
  response: webhookEndpoint,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "already_exists", "invalid_state"],
});

const webhookEndpointList = listOf(webhookEndpoint).meta({ id: "WebhookEndpointList" });
export const listWebhookEndpointsQuery = z.strictObject({ limit: queryLimit, offset: queryOffset });
export type ListWebhookEndpointsQuery = z.infer<typeof listWebhookEndpointsQuery>;

export const listWebhookEndpoints = endpoint({
  ...reading,
  name: "listWebhookEndpoints",
  list: true,
  path: "/v1/webhook-endpoints",
  summary: "List webhook endpoints",
  description: "Newest first.",
  query: listWebhookEndpointsQuery,
  response: webhookEndpointList,
  errors: QUERY_ERRORS,
});

export const getWebhookEndpoint = endpoint({
  ...reading,
  name: "getWebhookEndpoint",
  path: "/v1/webhook-endpoints/{id}",
  summary: "Get a webhook endpoint",
  description: "One webhook endpoint, without its secret.",
  response: webhookEndpoint,
  errors: ["resource_not_found"],
});

export const updateWebhookEndpoint = endpoint({
  ...shared,
  name: "updateWebhookEndpoint",
  method: "PATCH",
  path: "/v1/webhook-endpoints/{id}",
  summary: "Update a webhook endpoint",
  description:
    "Changes the fields you send. Pending deliveries go to the new address, which no other endpoint can have.",
  body: updateWebhookEndpointBody,
  response: webhookEndpoint,
  errors: [...BODY_ERRORS, "resource_not_found", "already_exists"],
});

const deletedWebhookEndpoint = z
  .object({
    id: idOf("webhookEndpoint").describe("Unique id of the webhook endpoint."),
    object: z.literal("webhook_endpoint").describe("Always `webhook_endpoint`."),
    deleted: z.literal(true).describe("Always true."),
  })
  .meta({ id: "DeletedWebhookEndpoint" });

export const deleteWebhookEndpoint = endpoint({
  ...shared,
  name: "deleteWebhookEndpoint",
  method: "DELETE",
  path: "/v1/webhook-endpoints/{id}",
  summary: "Delete a webhook endpoint",
  description: "Stops sending there and deletes its deliveries.",
  response: deletedWebhookEndpoint,
  errors: ["resource_not_found"],
});

const rotateWebhookSecretBody = z
  .strictObject({
    overlap_hours: z
      .union([z.literal(0), z.literal(1), z.literal(24)])
      .default(24)
      .describe("How long earlier secrets sign as well: 0, 1 or 24 hours."),
  })
  .meta({ id: "RotateWebhookSecretRequest" });

export const rotateWebhookSecret = endpoint({
  ...once,
  name: "rotateWebhookSecret",
  path: "/v1/webhook-endpoints/{id}/rotate-secret",
  summary: "Rotate a webhook secret",
  description:
    "Creates a new secret and shows it once. Messages carry one signature for each secret until the overlap ends; at most four earlier secrets sign, and the oldest is dropped first.",
  body: rotateWebhookSecretBody,
  bodyOptional: true,
  response: webhookEndpoint,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "resource_not_found"],
});

export const testWebhookEndpoint = endpoint({
  ...once,
  name: "testWebhookEndpoint",
  path: "/v1/webhook-endpoints/{id}/test",
  summary: "Send a test event",
  description: "Sends a `webhook_endpoint.test` event to this endpoint only, whatever types it subscribes to.",
  body: z.strictObject({}),
  bodyOptional: true,
  status: 201,
  response: webhookDelivery,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "resource_not_found", "invalid_state"],
});

const replayWebhookEndpointBody = z
  .strictObject({
    since: instant.describe("Events from this ISO 8601 time on; at most 90 days ago."),
    until: instant.optional().describe("Events before this ISO 8601 time; defaults to now."),
    types: z.array(eventType).min(1).max(EVENT_TYPES.length).optional().describe("Only these types."),
    only_failed: z
      .boolean()
      .default(true)
      .describe("If false, includes delivered events, which are then delivered again."),
  })
  .refine((body) => !body.until || instantOf(body.since) <= instantOf(body.until), {
    path: ["since"],
    message: "must not be later than until.",
  })
  .meta({ id: "ReplayWebhookEndpointRequest" });
export type ReplayWebhookEndpointBody = z.infer<typeof replayWebhookEndpointBody>;

const webhookReplay = z
  .object({
    object: z.literal("webhook_replay").describe("Always `webhook_replay`."),
    webhook_endpoint_id: idOf("webhookEndpoint").describe("Where the events go."),
    delivery_count: z.int().describe("Deliveries created."),
    next_since: z
      .string()
      .nullable()
      .describe(
        "Where this call stopped: call again with it as `since`, even if nothing was found. Null at the end of the range.",
      ),
  })
  .meta({ id: "WebhookReplay" });
export type WebhookReplay = z.infer<typeof webhookReplay>;

export const replayWebhookEndpoint = endpoint({
  ...once,
  name: "replayWebhookEndpoint",
  long: true,
  path: "/v1/webhook-endpoints/{id}/replay",
  summary: "Send missed events",
  description:
    "Sends events of a time range that were not delivered, or never sent, with the same ids. One call examines about 1,000 " +
    "events, oldest first, and returns `next_since` where it stopped: call again with it as `since` until it is null.",
  body: replayWebhookEndpointBody,
  response: webhookReplay,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "resource_not_found", "invalid_state"],
});

export const listWebhookDeliveriesQuery = z
  .strictObject({
    ...pageParams,
    status: DELIVERY_STATUS.optional().describe("Only this status."),
    event_type: eventType.optional().describe("Only events of this type."),
    created_after: instant.optional().describe("Happened later than this ISO 8601 time (exclusive)."),
    created_before: instant.optional().describe("Happened earlier than this ISO 8601 time (exclusive)."),
  })
  .refine(isInOrder, OUT_OF_ORDER)
  .refine(isPagedOnce, PAGED_TWICE);
export type ListWebhookDeliveriesQuery = z.infer<typeof listWebhookDeliveriesQuery>;

export const listWebhookDeliveries = endpoint({
  ...reading,
  name: "listWebhookDeliveries",
  list: true,
  path: "/v1/webhook-endpoints/{id}/deliveries",
  summary: "List deliveries of an endpoint",
  description: "What was sent to it in the last 90 days, newest first.",
  query: listWebhookDeliveriesQuery,
  response: webhookDeliveryList,
  errors: [...QUERY_ERRORS, "resource_not_found"],
});

export const getWebhookDelivery = endpoint({
  ...reading,
  name: "getWebhookDelivery",
  long: true,
  path: "/v1/webhook-deliveries/{id}",
  summary: "Get a delivery",
  description: "One delivery with its attempts: each request and response.",
  response: webhookDeliveryDetail,
  errors: ["resource_not_found"],
});

export const resendWebhookDelivery = endpoint({
  ...once,
  name: "resendWebhookDelivery",
  path: "/v1/webhook-deliveries/{id}/resend",
  summary: "Resend a delivery",
  description: "Sends the event again right away, with the same id. A pending delivery is attempted right away.",
  body: z.strictObject({}),
  bodyOptional: true,
  response: webhookDelivery,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS, "resource_not_found", "invalid_state"],
});
