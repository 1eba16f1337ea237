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

/**
 * A merchant's webhook endpoint. A deleted one stays, without its secrets, because deliveries reference it.
 */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    environment_id: environmentId(),
    id: uuid("id").notNull(),
    url: text("url").notNull(),
    description: text("description"),
    /** `{*}` = all. */
    event_types: text("event_types").array().notNull(),
    payload: oneOf("webhook_payload", PAYLOADS)("payload").notNull(),
    signature: oneOf("webhook_signature", SIGNATURES)("signature").notNull(),
    status: oneOf("webhook_endpoint_status", ENDPOINT_STATUSES)("status").notNull(),
    disabled_reason: oneOf("webhook_disabled_reason", DISABLED_REASONS)("disabled_reason"),
    /** When the current run of failed attempts started; null after a success. */
    failing_since: instant("failing_since"),
    /**
     * Start of the slow lane, whose endpoints share fewer slots, so that they don't delay others: the
     * endpoint is new, or its last attempt failed or was slow.
     */
    slow_lane_since: instant("slow_lane_since"),
    /** The last notice mailed to the owners; null once it works or is enabled again. */
    last_notice: oneOf("webhook_notice", ENDPOINT_NOTICES)("last_notice"),
    deleted_at: instant("deleted_at"),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves the trigger that runs for every event; most environments have no entry. */
    index("webhook_endpoints_enabled")
      .on(table.environment_id, table.id)
      .where(sql`status = 'ENABLED' and deleted_at is null`),
    /**
     * Keeps URLs unique, because a duplicate would receive everything twice. On a digest, since a URL may
     * exceed the index limit.
     */
    uniqueIndex("webhook_endpoints_url").on(table.environment_id, sql`md5("url")`).where(sql`deleted_at is null`),
  ],
);
export type WebhookEndpointRow = typeof webhookEndpoints.$inferSelect;

/** Signing secrets of an endpoint: the newest, and earlier ones while a rotation overlaps. */
export const webhookSecrets = pgTable(
  "webhook_secrets",
  {
    environment_id: environmentId(),
    endpoint_id: uuid("endpoint_id").notNull(),
    id: uuid("id").notNull(),
    /** Both keys as JSON, encrypted with the service's secret. */
    sealed: text("sealed").notNull(),
    /** `whpk_…`: verifies `v1a` signatures. */
    public_key: text("public_key").notNull(),
    /** Null = the newest one. */
    expires_at: instant("expires_at"),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.endpoint_id, table.id] })],
);
export type WebhookSecretRow = typeof webhookSecrets.$inferSelect;

/**
 * Delivery of one event to one endpoint, created by a trigger in the event's commit. No foreign keys: they
 * would lock the endpoint's row in every payment. Partitioned by week of the id's time, which is the event's
 * (in the migration), so that a week is dropped as a whole. Each partition has a unique index on endpoint and
 * event, which prevents delivering an event to an endpoint twice and serves redelivery.
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
    /** Total attempts, counted at their start. */
    attempts: integer("attempts").notNull().default(0),
    /** Attempts since it was last reopened: the position in the retry schedule. */
    round_attempts: integer("round_attempts").notNull().default(0),
    /** When it is due; while a process works on it, when the lease expires. */
    next_attempt_at: instant("next_attempt_at").notNull(),
    /** Incremented by each claim; outcomes of earlier holders are discarded. */
    epoch: integer("epoch").notNull().default(0),
    delivered_at: instant("delivered_at"),
    created_at: instant("created_at").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.environment_id, table.id] }),
    /** Serves the worker, which goes from endpoint to endpoint and takes the oldest due deliveries. */
    index("webhook_deliveries_due")
      .on(table.environment_id, table.endpoint_id, table.next_attempt_at)
      .where(sql`status = 'PENDING'`),
    /** Serves an endpoint's log, newest first. */
    index("webhook_deliveries_log").on(table.environment_id, table.endpoint_id, table.id),
  ],
);
export type WebhookDeliveryRow = typeof webhookDeliveries.$inferSelect;

/**
 * One request to an endpoint and its response; only the latest of each delivery are kept. Partitioned by week
 * of the delivery, whose partition it is dropped with.
 */
export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    environment_id: environmentId(),
    delivery_id: uuid("delivery_id").notNull(),
    id: uuid("id").notNull(),
    url: text("url").notNull(),
    payload: oneOf("webhook_payload", PAYLOADS)("payload").notNull(),
    request_headers: json("request_headers").$type<Record<string, string>>().notNull(),
    /** Null = no response. */
    status_code: integer("status_code"),
    /** At most 4 kB, or 512 bytes of a 2xx response; card numbers masked. */
    response_body: text("response_body"),
    /** Error text; null if it was delivered. */
    error: text("error"),
    duration_ms: integer("duration_ms").notNull(),
    created_at: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment_id, table.delivery_id, table.id] })],
);
export type WebhookAttemptRow = typeof webhookAttempts.$inferSelect;
