import type { Orm } from "@/db/client";
import { hasNoEvent } from "@/db/queries/changes";
import {
  countWebhookDeliveries,
  findLastOf,
  findWebhookDelivery,
  insertWebhookDelivery,
  KEPT_ATTEMPTS,
  keepWebhookWeeks,
  listWebhookDeliveries as listRows,
  listWebhookAttempts,
  removeDeliveriesOfDeleted,
  reopenWebhookDelivery,
  replayEvents,
} from "@/db/queries/webhooks/deliveries";
import type { WebhookAttemptRow, WebhookDeliveryRow } from "@/db/schema/webhooks";
import { AppError } from "@/lib/contract/errors";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import type { ListWebhookDeliveriesQuery, ReplayWebhookEndpointBody } from "@/lib/contract/webhooks/endpoints";
import type { WebhookAttempt, WebhookDelivery, WebhookDeliveryDetail } from "@/lib/contract/webhooks/webhook-delivery";
import { firstIdAt, idTime, newId } from "@/lib/ids";
import { type Context, environmentNow, type Reply, resourceNotFound, type Service } from "../context";
import { recordChange } from "../events/event";
import { EVENTS_KEPT_DAYS, oldestEventId } from "../events/read-events";
import { runOnce } from "../idempotency/run-once";
import { idRange, type ListResult, presentList, unknownCursor } from "../lists";
import { getEndpointRow, lockEndpointRow, presentNow, requireEnabled } from "./endpoints";

const orm = (ctx: Context) => ctx.service.db.within(ctx.environment.id).orm;

async function findDelivery(ctx: Context, on: Orm, publicId: string) {
  const id = decodeId("webhookDelivery", publicId);
  // Its week may end, and be dropped, some days later.
  if (id === null || id < oldestEventId(ctx.service)) return null;
  return findWebhookDelivery(on, ctx.environment.id, id);
}

/** One page of an endpoint's deliveries, newest first. */
export async function listWebhookDeliveries(
  ctx: Context,
  query: ListWebhookDeliveriesQuery & { id: string },
): Promise<ListResult<WebhookDelivery>> {
  const endpoint = await getEndpointRow(ctx, query.id);
  const { limit = 20, offset = 0, starting_after: given } = query;
  const after = given === undefined ? null : await findDelivery(ctx, orm(ctx), given);
  if (given !== undefined && after?.delivery.endpoint_id !== endpoint.id) throw unknownCursor("delivery", given);
  const oldestId = oldestEventId(ctx.service);
  const { gte = oldestId, lt: beforeId } = idRange({ after: query.created_after, before: query.created_before });
  const fromId = gte > oldestId ? gte : oldestId;
  const filter = { status: query.status, eventType: query.event_type, fromId, beforeId };
  const page = { limit: limit + 1, offset, after: after?.delivery.id ?? null };
  const [rows, total] = await Promise.all([
    listRows(orm(ctx), ctx.environment.id, endpoint.id, filter, page),
    countWebhookDeliveries(orm(ctx), ctx.environment.id, endpoint.id, filter, TOTAL_CAP),
  ]);
  const data = rows.slice(0, limit).map((row) => presentDelivery(row, ctx.environment.mode));
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}

/** One delivery with its latest attempts, newest first. */
export async function getWebhookDelivery(ctx: Context, input: { id: string }): Promise<WebhookDeliveryDetail> {
  const found = await findDelivery(ctx, orm(ctx), input.id);
  if (found === null) throw resourceNotFound("webhook delivery", input.id);
  const attempts = await listWebhookAttempts(orm(ctx), ctx.environment.id, found.delivery.id, KEPT_ATTEMPTS);
  return { ...presentDelivery(found.delivery, ctx.environment.mode), attempts: attempts.map(presentAttempt) };
}

/** Approximate bytes stored per opened delivery: itself, and an attempt with its request headers. */
const OPENED_BYTES = 1_000;

/** Sends an event again, immediately and with the same id, whatever its status. */
export async function resendWebhookDelivery(ctx: Context, input: { id: string }): Promise<Reply> {
  const reply = await runOnce(ctx, async (tx): Promise<WebhookDelivery> => {
    const found = await findDelivery(ctx, tx, input.id);
    if (found === null) throw resourceNotFound("webhook delivery", input.id);
    requireEnabled({ status: found.isEnabled ? "ENABLED" : "DISABLED" });
    const now = ctx.service.clock.now().toISOString();
    const row = await reopenWebhookDelivery(tx, ctx.environment.id, found.delivery.id, now);
    if (row === null) throw resourceNotFound("webhook delivery", input.id);
    return presentDelivery(row, ctx.environment.mode);
  });
  return { ...reply, keptBytes: OPENED_BYTES };
}

/** Sends a test event to this endpoint only, whatever event types it subscribes to. */
export function testWebhookEndpoint(ctx: Context, input: { id: string }): Promise<Reply> {
  return runOnce(ctx, async (tx): Promise<WebhookDelivery> => {
    const row = await lockEndpointRow(ctx, tx, input.id);
    requireEnabled(row);
    const object = await presentNow(ctx, tx, row);
    const previous = (await hasNoEvent(tx, ctx.environment.id, row.id)) ? null : {};
    const type = "webhook_endpoint.test";
    const event = await recordChange(ctx, tx, { type, action: type, objectId: row.id, data: { object, previous } });
    const delivery = await insertWebhookDelivery(tx, ctx.environment.id, {
      id: newId(),
      endpoint_id: row.id,
      event_id: event.id,
      event_type: type,
      created_at: event.created_at,
    });
    return presentDelivery(delivery, ctx.environment.mode);
  });
}

/**
 * Events examined per call, so that it holds its connection for less than 100 ms even if all are sent again.
 */
export const EXAMINED_EVENTS = 1_000;

/** Sends the events of a time range again, oldest first: undelivered and never sent ones, or all. */
export async function replayWebhookEndpoint(
  ctx: Context,
  input: ReplayWebhookEndpointBody & { id: string },
): Promise<Reply> {
  const now = environmentNow(ctx);
  const oldestId = oldestEventId(ctx.service);
  const { gte: fromId = oldestId, lt: beforeId = firstIdAt(new Date(now.getTime() + 1)) } = idRange({
    gte: input.since,
    before: input.until,
  });
  if (fromId < oldestId) {
    const message = `Events are kept for ${EVENTS_KEPT_DAYS} days: choose a later time.`;
    throw new AppError("invalid_parameter", message, {
      errors: [{ param: "since", code: "invalid_parameter", message }],
    });
  }
  let keptBytes = 0;
  const reply = await runOnce(ctx, async (tx) => {
    const endpoint = await lockEndpointRow(ctx, tx, input.id);
    requireEnabled(endpoint);
    const lastId = await findLastOf(tx, ctx.environment.id, { fromId, beforeId }, EXAMINED_EVENTS);
    // Includes the rest of the last millisecond, which is the precision of `since`.
    const next = lastId && new Date(Date.parse(idTime(lastId)) + 1);
    const endId = next && firstIdAt(next) < beforeId ? firstIdAt(next) : beforeId;
    const opened = await replayEvents(tx, ctx.environment.id, {
      endpointId: endpoint.id,
      fromId,
      beforeId: endId,
      types: input.types ?? null,
      onlyFailed: input.only_failed,
      // Deliveries are attempted in real time, whatever the environment's.
      now: ctx.service.clock.now().toISOString(),
    });
    keptBytes = opened * OPENED_BYTES;
    return {
      object: "webhook_replay",
      webhook_endpoint_id: encodeId("webhookEndpoint", endpoint.id),
      delivery_count: opened,
      next_since: endId < beforeId ? idTime(endId) : null,
    };
  });
  return { ...reply, keptBytes };
}

const ROWS_PER_STATEMENT = 1_000;

/**
 * Job that drops whole weeks of deliveries past their retention, prepares the coming weeks, and deletes those
 * of deleted endpoints. Returns the number of changes.
 */
export async function removeOldWebhookDeliveries({ db }: Pick<Service, "db">): Promise<number> {
  return (await keepWebhookWeeks(db.long)) + (await removeDeliveriesOfDeleted(db.sql, ROWS_PER_STATEMENT));
}

function presentDelivery(row: WebhookDeliveryRow, mode: Mode): WebhookDelivery {
  return {
    id: encodeId("webhookDelivery", row.id),
    object: "webhook_delivery",
    webhook_endpoint_id: encodeId("webhookEndpoint", row.endpoint_id),
    event_id: encodeId("event", row.event_id),
    event_type: row.event_type,
    status: row.status,
    attempt_count: row.attempts,
    next_attempt_at: row.status === "PENDING" ? row.next_attempt_at : null,
    delivered_at: row.delivered_at,
    environment: API_ENVIRONMENTS[mode],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function presentAttempt(row: WebhookAttemptRow): WebhookAttempt {
  return {
    created_at: row.created_at,
    duration_ms: row.duration_ms,
    request: { url: row.url, headers: row.request_headers, payload: row.payload },
    response: row.status_code === null ? null : { status: row.status_code, body: row.response_body ?? "" },
    error: row.error,
  };
}
