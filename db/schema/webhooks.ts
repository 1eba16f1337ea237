import { sql } from "drizzle-orm";
import { index, integer, json, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import {
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  ENDPOINT_NOTICES,
  ENDPOINT_STATUSES,
  PAYLOADS,
  SIGNATURES,
} from "@/lib/contract/webhooks/webhook-endpoint";
import { environmentId, instant, oneOf } from "../columns";

/** Where a merchant's events are sent. One that was deleted stays, without its secrets, for the deliveries that name it. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    url: text("url").notNull(),
    description: text("description"),
    /** `{*}`: all of them. */
    event_types: text("event_types").array().notNull(),
    payload: oneOf("webhook_payload", PAYLOADS)("payload").notNull(),
    signature: oneOf("webhook_signature", SIGNATURES)("signature").notNull(),
    status: oneOf("webhook_endpoint_status", ENDPOINT_STATUSES)("status").notNull(),
    disabled_reason: oneOf("webhook_disabled_reason", DISABLED_REASONS)("disabled_reason"),
    /** When the first of the attempts failed that have all failed since; null after a success. */
    failing_since: instant("failing_since"),
    /** When its last attempt failed or was slow: it gets fewer places, so that the others need not wait for it. */
    hindered_at: instant("hindered_at"),
    /** What its owners were last notified of by mail; null once it works or was enabled again. */
    last_notice: oneOf("webhook_notice", ENDPOINT_NOTICES)("last_notice"),
    deleted_at: instant("deleted_at"),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves the trigger of `events`, which runs for every event; for most environments it has no entry. */
    index("webhook_endpoints_enabled")
      .on(table.environment_id, table.id)
      .where(sql`status = 'ENABLED' and deleted_at is null`),
    /** Lets an address be there once: it would be sent everything twice. By its digest, as an address may be too long for an index. */
    uniqueIndex("webhook_endpoints_url").on(table.environment_id, sql`md5("url")`).where(sql`deleted_at is null`),
  ],
);
export type WebhookEndpointRow = typeof webhookEndpoints.$inferSelect;

/** What an endpoint's messages are signed with: the newest, and earlier ones while a rotation overlaps. */
export const webhookSecrets = pgTable(
  "webhook_secrets",
  {
    environment_id: environmentId(),
    endpoint_id: uuid("endpoint_id").notNull(),
    id: uuid("id").notNull(),
    /** Both keys, as JSON, sealed under the service's secret. */
    sealed: text("sealed").notNull(),
    /** `whpk_…`: what `v1a` signatures are verified with. */
    public_key: text("public_key").notNull(),
    /** Null: the newest one. */
    expires_at: instant("expires_at"),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.endpoint_id, table.id] })],
);
export type WebhookSecretRow = typeof webhookSecrets.$inferSelect;

/**
 * One event on its way to one endpoint. A trigger of `events` makes it in the commit of the event. Without foreign keys:
 * they would lock the endpoint's row in every payment.
 */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    endpoint_id: uuid("endpoint_id").notNull(),
    event_id: uuid("event_id").notNull(),
    event_type: text("event_type").notNull(),
    status: oneOf("webhook_delivery_status", DELIVERY_STATUSES)("status").notNull(),
    /** In all; an attempt counts from when it was begun. */
    attempts: integer("attempts").notNull().default(0),
    /** Since it was last opened: its place in the schedule. */
    round_attempts: integer("round_attempts").notNull().default(0),
    /** When it is due; while a process works on it, when its lease runs out. */
    next_attempt_at: instant("next_attempt_at").notNull(),
    /** Counts who took it: an outcome of an earlier one is not written. */
    epoch: integer("epoch").notNull().default(0),
    delivered_at: instant("delivered_at"),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Lets no event be delivered to an endpoint as two; finds the one to send again. */
    uniqueIndex("webhook_deliveries_event").on(table.environment_id, table.endpoint_id, table.event_id),
    /** Serves the worker, which walks from endpoint to endpoint and takes the oldest deliveries that are due. */
    index("webhook_deliveries_due")
      .on(table.environment_id, table.endpoint_id, table.next_attempt_at)
      .where(sql`status = 'PENDING'`),
    /** Serves an endpoint's log, newest first. */
    index("webhook_deliveries_log").on(table.environment_id, table.endpoint_id, table.id),
  ],
);
export type WebhookDeliveryRow = typeof webhookDeliveries.$inferSelect;

/** One request to an endpoint, and what came back: the latest of each delivery. */
export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    environment_id: environmentId(),
    delivery_id: uuid("delivery_id").notNull(),
    id: uuid("id").notNull(),
    url: text("url").notNull(),
    payload: oneOf("webhook_payload", PAYLOADS)("payload").notNull(),
    request_headers: json("request_headers").$type<Record<string, string>>().notNull(),
    /** Null: no answer came. */
    status_code: integer("status_code"),
    /** At most 4 kB, of an answer 2xx 512 bytes; card numbers masked. */
    response_body: text("response_body"),
    /** What went wrong, in words; null when it was delivered. */
    error: text("error"),
    duration_ms: integer("duration_ms").notNull(),
    created_at: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.delivery_id, table.id] })],
);
export type WebhookAttemptRow = typeof webhookAttempts.$inferSelect;
