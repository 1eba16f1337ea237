import { and, desc, eq, gte, inArray, lt, sql as part } from "drizzle-orm";
import type { Mode } from "@/lib/contract/transactions/words";
import type { DeliveryStatus } from "@/lib/contract/webhooks/webhook-delivery";
import type { Payload } from "@/lib/contract/webhooks/webhook-endpoint";
import type { Orm, Sql } from "../../client";
import {
  type WebhookAttemptRow,
  type WebhookDeliveryRow,
  webhookAttempts,
  webhookDeliveries,
  webhookEndpoints,
} from "../../schema/webhooks";
import type { ClockColumns } from "../clock";
import { countUpTo } from "../statement-text";

export type DeliveryFilter = {
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: string | undefined;
  /** First id to include, and the first one past the range. */
  readonly fromId?: string | undefined;
  readonly beforeId?: string | undefined;
};

const matching = (environmentId: string, endpointId: string, filter: DeliveryFilter) =>
  and(
    eq(webhookDeliveries.environment_id, environmentId),
    eq(webhookDeliveries.endpoint_id, endpointId),
    filter.status && eq(webhookDeliveries.status, filter.status),
    filter.eventType === undefined ? undefined : eq(webhookDeliveries.event_type, filter.eventType),
    filter.fromId === undefined ? undefined : gte(webhookDeliveries.id, filter.fromId),
    filter.beforeId === undefined ? undefined : lt(webhookDeliveries.id, filter.beforeId),
  );

/** Newest first, by the index `webhook_deliveries_log`. */
export function listWebhookDeliveries(
  orm: Orm,
  environmentId: string,
  endpointId: string,
  filter: DeliveryFilter,
  page: { limit: number; offset: number; after: string | null },
): Promise<WebhookDeliveryRow[]> {
  return orm
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        matching(environmentId, endpointId, filter),
        page.after === null ? undefined : lt(webhookDeliveries.id, page.after),
      ),
    )
    .orderBy(desc(webhookDeliveries.id))
    .limit(page.limit)
    .offset(page.offset);
}

/** Number of matches, counted no further than `cap` + 1. */
export async function countWebhookDeliveries(
  orm: Orm,
  environmentId: string,
  endpointId: string,
  filter: DeliveryFilter,
  cap: number,
): Promise<number> {
  return countUpTo(orm, webhookDeliveries, matching(environmentId, endpointId, filter), cap + 1);
}

const byId = (environmentId: string, id: string) =>
  and(eq(webhookDeliveries.environment_id, environmentId), eq(webhookDeliveries.id, id));

/** A delivery to an endpoint that is not deleted, and whether that endpoint is enabled. */
export async function findWebhookDelivery(
  orm: Orm,
  environmentId: string,
  id: string,
): Promise<{ delivery: WebhookDeliveryRow; isEnabled: boolean } | null> {
  const rows = await orm
    .select({ delivery: webhookDeliveries, status: webhookEndpoints.status })
    .from(webhookDeliveries)
    .innerJoin(
      webhookEndpoints,
      and(
        eq(webhookEndpoints.environment_id, webhookDeliveries.environment_id),
        eq(webhookEndpoints.id, webhookDeliveries.endpoint_id),
      ),
    )
    .where(and(byId(environmentId, id), part`${webhookEndpoints.deleted_at} is null`));
  return rows[0] ? { delivery: rows[0].delivery, isEnabled: rows[0].status === "ENABLED" } : null;
}

export function listWebhookAttempts(
  orm: Orm,
  environmentId: string,
  deliveryId: string,
  limit: number,
): Promise<WebhookAttemptRow[]> {
  return orm
    .select()
    .from(webhookAttempts)
    .where(and(eq(webhookAttempts.environment_id, environmentId), eq(webhookAttempts.delivery_id, deliveryId)))
    .orderBy(desc(webhookAttempts.id))
    .limit(limit);
}

export type LastAttempt = Pick<WebhookAttemptRow, "delivery_id" | "status_code" | "error">;

/** The newest attempt of each delivery that has one, by the primary key. */
export function listLastAttempts(
  orm: Orm,
  environmentId: string,
  deliveryIds: readonly string[],
): Promise<LastAttempt[]> {
  const { environment_id, delivery_id, id, status_code, error } = webhookAttempts;
  return orm
    .selectDistinctOn([delivery_id], { delivery_id, status_code, error })
    .from(webhookAttempts)
    .where(and(eq(environment_id, environmentId), inArray(delivery_id, [...deliveryIds])))
    .orderBy(delivery_id, desc(id));
}

/** Inserts a delivery that no trigger creates. */
export async function insertWebhookDelivery(
  orm: Orm,
  environmentId: string,
  delivery: Pick<WebhookDeliveryRow, "id" | "endpoint_id" | "event_id" | "event_type" | "created_at">,
): Promise<WebhookDeliveryRow> {
  const { created_at } = delivery;
  const rows = await orm
    .insert(webhookDeliveries)
    .values({
      environment_id: environmentId,
      ...delivery,
      status: "PENDING",
      next_attempt_at: part`least(${created_at}::timestamptz, now())`,
      updated_at: created_at,
    })
    .returning();
  return rows[0] as WebhookDeliveryRow;
}

/**
 * Makes it due immediately, at the start of the retry schedule. The result of an attempt in progress is
 * discarded.
 */
export async function reopenWebhookDelivery(
  orm: Orm,
  environmentId: string,
  id: string,
  now: string,
): Promise<WebhookDeliveryRow | null> {
  const rows = await orm
    .update(webhookDeliveries)
    .set({
      status: "PENDING",
      round_attempts: 0,
      next_attempt_at: now,
      epoch: part`${webhookDeliveries.epoch} + 1`,
      delivered_at: null,
      updated_at: now,
    })
    .where(byId(environmentId, id))
    .returning();
  return rows[0] ?? null;
}

type EventRange = { readonly fromId: string; readonly beforeId: string };

/**
 * The last of the first `count` events of a range, or null if there are fewer. Index-only: the primary key.
 */
export async function findLastOf(
  orm: Orm,
  environmentId: string,
  { fromId, beforeId }: EventRange,
  count: number,
): Promise<string | null> {
  const rows = await orm.execute<{ id: string }>(part`
    select id from events
    where environment_id = ${environmentId}::uuid and id >= ${fromId}::uuid and id < ${beforeId}::uuid
    order by id offset ${count - 1}::int limit 1`);
  return rows[0]?.id ?? null;
}

type ReplayRange = EventRange & {
  readonly endpointId: string;
  /** Null = all types that the endpoint takes. */
  readonly types: readonly string[] | null;
  readonly onlyFailed: boolean;
  readonly now: string;
};

/**
 * Opens deliveries for a range of events, oldest first: creates missing ones and reopens finished ones.
 * Returns the number opened. Examines every event of the range; `endpointId` names a locked endpoint.
 */
export async function replayEvents(orm: Orm, environmentId: string, range: ReplayRange): Promise<number> {
  const types = range.types && part`${`{${range.types.join()}}`}::text[]`;
  const rows = await orm.execute<{ opened: number }>(part`
    with examined as materialized (
      select id, type, created_at from events
      where environment_id = ${environmentId}::uuid and id >= ${range.fromId}::uuid and id < ${range.beforeId}::uuid
    ), found as materialized (
      select n.id, n.type, n.created_at, d.id as delivery_id from examined n
      join webhook_endpoints e on e.environment_id = ${environmentId}::uuid and e.id = ${range.endpointId}::uuid
      -- Deliveries have the millisecond of their event, which selects the partition.
      left join lateral (
        select id, status from webhook_deliveries where environment_id = ${environmentId}::uuid
          and id >= (left(n.id::text, 13) || '-0000-0000-000000000000')::uuid
          and id <= (left(n.id::text, 13) || '-ffff-ffff-ffffffffffff')::uuid
          and endpoint_id = ${range.endpointId}::uuid and event_id = n.id limit 1
      ) d on true
      where n.type <> 'webhook_endpoint.test' and ${types ? part`n.type = any(${types})` : part`true`}
        and (e.event_types = '{*}' or n.type = any(e.event_types))
        -- Other deliveries stay unlocked, so that the worker can record their outcomes in the meantime.
        and coalesce(d.status::text, 'FAILED')
          = any(case when ${range.onlyFailed}::boolean then '{FAILED}' else '{FAILED,DELIVERED}' end::text[])
    ), reopened as (
      update webhook_deliveries d
      set status = 'PENDING', round_attempts = 0, next_attempt_at = ${range.now}::timestamptz, epoch = d.epoch + 1,
        delivered_at = null, updated_at = ${range.now}::timestamptz
      from found
      where d.environment_id = ${environmentId}::uuid and d.id = found.delivery_id
        and (d.status = 'FAILED' or (d.status = 'DELIVERED' and not ${range.onlyFailed}::boolean))
      returning 1
    ), created as (
      insert into webhook_deliveries
        (environment_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at, updated_at)
      select ${environmentId}::uuid, webhook_delivery_id(id), ${range.endpointId}::uuid, id, type, 'PENDING',
        ${range.now}::timestamptz, created_at, ${range.now}::timestamptz
      from found where delivery_id is null order by id
      -- Its own trigger has just created it.
      on conflict do nothing
      returning 1
    )
    select ((select count(*) from reopened) + (select count(*) from created))::int as opened`);
  return rows[0]?.opened ?? 0;
}

/** Position of the worker's walk: after one endpoint. */
export type EndpointPlace = { readonly environment_id: string; readonly endpoint_id: string };

export type TakenDelivery = EndpointPlace & {
  readonly id: string;
  readonly event_id: string;
  readonly epoch: number;
  readonly round_attempts: number;
  readonly mode: Mode;
  readonly merchant_id: string;
  readonly url: string;
  readonly payload: Payload;
  readonly signature: "v1" | "v1+v1a";
  readonly is_slow: boolean;
} & Readonly<ClockColumns>;

/** An endpoint with due deliveries, and their number, counted no further than `share`. */
export type DueEndpoint = EndpointPlace & { readonly mode: Mode; readonly due: number };

/**
 * Up to `limit` endpoints with due deliveries after a position, by walking the index
 * `webhook_deliveries_due`. `isSlow` selects the endpoints in the slow lane, or the others.
 */
export function findDueEndpoints(
  sql: Sql,
  walk: { after: EndpointPlace; isSlow: boolean; share: number; limit: number; now: string },
): Promise<DueEndpoint[]> {
  const { after } = walk;
  return sql<DueEndpoint[]>`
    with recursive waiting as (
      (select environment_id, endpoint_id from webhook_deliveries
        where status = 'PENDING' and (environment_id, endpoint_id) > (${after.environment_id}::uuid, ${after.endpoint_id}::uuid)
        order by environment_id, endpoint_id limit 1)
      union all
      select later.environment_id, later.endpoint_id from waiting cross join lateral (
        select environment_id, endpoint_id from webhook_deliveries
        where status = 'PENDING' and (environment_id, endpoint_id) > (waiting.environment_id, waiting.endpoint_id)
        order by environment_id, endpoint_id limit 1) later
    )
    select waiting.environment_id, waiting.endpoint_id, n.mode, own.due
    from waiting
    join environments n on n.id = waiting.environment_id
    join webhook_endpoints e on e.environment_id = waiting.environment_id and e.id = waiting.endpoint_id
    cross join lateral (
      select count(*)::int as due from (
        select from webhook_deliveries
        where environment_id = waiting.environment_id and endpoint_id = waiting.endpoint_id and status = 'PENDING'
          and next_attempt_at <= ${walk.now}::timestamptz
        limit ${walk.share}::int) first
    ) own
    where e.status = 'ENABLED' and e.deleted_at is null and (e.slow_lane_since is not null) = ${walk.isSlow}::boolean
      and own.due > 0
    order by waiting.environment_id, waiting.endpoint_id
    limit ${walk.limit}::int`;
}

/**
 * Claims the longest due deliveries, as many per endpoint as it has slots, skipping locked ones. An attempt
 * counts from here, so one that crashes its process is not retried forever: after `maxAttempts` attempts it
 * has failed.
 */
export function takeDueDeliveries(
  sql: Sql,
  endpoints: readonly (EndpointPlace & { readonly slots: number })[],
  { now, leaseUntil, maxAttempts }: { now: string; leaseUntil: string; maxAttempts: number },
): Promise<TakenDelivery[]> {
  return sql<TakenDelivery[]>`
    with due as materialized (
      select own.*, e.id as endpoint_id, e.url, e.payload, e.signature, e.slow_lane_since is not null as is_slow,
        n.mode, n.merchant_id, n.clock_offset_ms, n.clock_frozen_at
      from unnest(${endpoints.map((endpoint) => endpoint.environment_id)}::uuid[], ${endpoints.map((endpoint) => endpoint.endpoint_id)}::uuid[],
        ${endpoints.map((endpoint) => String(endpoint.slots))}::text[]) as chosen (environment_id, endpoint_id, slots)
      join webhook_endpoints e on e.environment_id = chosen.environment_id and e.id = chosen.endpoint_id
      join environments n on n.id = chosen.environment_id
      cross join lateral (
        select environment_id, id, round_attempts >= ${maxAttempts}::int as is_over from webhook_deliveries
        where environment_id = chosen.environment_id and endpoint_id = chosen.endpoint_id and status = 'PENDING'
          and next_attempt_at <= ${now}::timestamptz
        order by next_attempt_at
        limit chosen.slots::int
        for update skip locked
      ) own
      where e.status = 'ENABLED' and e.deleted_at is null
    ), failed as (
      update webhook_deliveries d
      set status = 'FAILED', epoch = d.epoch + 1, updated_at = ${now}::timestamptz
      from due
      where d.environment_id = due.environment_id and d.id = due.id and due.is_over
    )
    update webhook_deliveries d
    set epoch = d.epoch + 1, attempts = d.attempts + 1, round_attempts = d.round_attempts + 1,
      next_attempt_at = ${leaseUntil}::timestamptz
    -- Joins nothing else: the only plan looks up each row by its key, in one partition.
    from due
    where d.environment_id = due.environment_id and d.id = due.id and not due.is_over
    returning d.environment_id, d.endpoint_id, d.id, d.event_id, d.epoch, d.round_attempts, due.mode, due.merchant_id,
      due.clock_offset_ms, due.clock_frozen_at, due.url, due.payload, due.signature, due.is_slow`;
}

export type Attempted = {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly epoch: number;
  readonly attempt: Omit<WebhookAttemptRow, "environment_id" | "delivery_id">;
  readonly status: DeliveryStatus;
  readonly nextAttemptAt: string;
  /** True if the attempt exceeded the time limit that counts as slow. */
  readonly isSlow: boolean;
  readonly now: string;
};

/**
 * Attempts kept per delivery, because receivers control their contents and a delivery may be resent any
 * number of times.
 */
export const KEPT_ATTEMPTS = 20;

/**
 * Stores an attempt and advances its delivery, unless another process has claimed it since; nothing is kept
 * of a removed one. The endpoint's row is written only when it starts to fail or be slow, or recovers, and
 * never once disabled, so that its last notice stays true.
 */
export async function recordAttempt(sql: Sql, environmentId: string, outcome: Attempted): Promise<void> {
  const { attempt, status, now } = outcome;
  const isDelivered = status === "DELIVERED";
  const isSlowLane = !isDelivered || outcome.isSlow;
  await sql`
    with held as materialized (
      -- Blocks a concurrent removal, so that it also removes this attempt.
      select from webhook_deliveries
      where environment_id = ${environmentId}::uuid and id = ${outcome.deliveryId}::uuid
      for key share
    ), dropped as (
      delete from webhook_attempts
      where environment_id = ${environmentId}::uuid and delivery_id = ${outcome.deliveryId}::uuid and id <= (
        select id from webhook_attempts
        where environment_id = ${environmentId}::uuid and delivery_id = ${outcome.deliveryId}::uuid
        order by id desc limit 1 offset ${KEPT_ATTEMPTS - 1}::int)
    ), kept as (
      insert into webhook_attempts (environment_id, delivery_id, id, url, payload, request_headers, status_code, response_body,
        error, duration_ms, created_at)
      select ${environmentId}::uuid, ${outcome.deliveryId}::uuid, ${attempt.id}::uuid, ${attempt.url}, ${attempt.payload},
        ${JSON.stringify(attempt.request_headers)}::text::json, ${attempt.status_code}::int, ${attempt.response_body}::text,
        ${attempt.error}::text, ${attempt.duration_ms}::int, ${attempt.created_at}::timestamptz
      from held
    ), moved as (
      update webhook_deliveries
      set status = ${status}, next_attempt_at = ${outcome.nextAttemptAt}::timestamptz,
        delivered_at = case when ${isDelivered}::boolean then ${now}::timestamptz end, updated_at = ${now}::timestamptz
      where environment_id = ${environmentId}::uuid and id = ${outcome.deliveryId}::uuid and epoch = ${outcome.epoch}::int
        and status = 'PENDING' and exists (select from held)
    )
    update webhook_endpoints
    set failing_since = case when not ${isDelivered}::boolean then coalesce(failing_since, ${now}::timestamptz) end,
      slow_lane_since = case when ${isSlowLane}::boolean then ${now}::timestamptz end,
      last_notice = case when not ${isDelivered}::boolean then last_notice end
    where environment_id = ${environmentId}::uuid and id = ${outcome.endpointId}::uuid and status = 'ENABLED'
      and ((failing_since is null) <> ${isDelivered}::boolean or (slow_lane_since is null) = ${isSlowLane}::boolean)`;
}

/** Releases a claimed, unsent delivery as if it had not been claimed. */
export async function releaseDelivery(
  sql: Sql,
  environmentId: string,
  delivery: Pick<TakenDelivery, "id" | "epoch">,
  now: string,
): Promise<void> {
  await sql`
    update webhook_deliveries
    set next_attempt_at = ${now}::timestamptz, attempts = attempts - 1, round_attempts = round_attempts - 1
    where environment_id = ${environmentId}::uuid and id = ${delivery.id}::uuid and epoch = ${delivery.epoch}::int
      and status = 'PENDING'`;
}

/**
 * Adds the partitions of the coming weeks or drops those of an expired one; returns the number of changes. Does
 * nothing if another process is doing it or a lock is taken: a later run suffices.
 */
export async function keepWebhookWeeks(sql: Sql): Promise<number> {
  const [row] = await sql<{ done: number }[]>`select keep_webhook_weeks() as done`;
  return row?.done ?? 0;
}

/**
 * Removes up to `limit` deliveries of deleted endpoints, with their attempts. Walks the endpoints, whose index
 * holds their deliveries. Returns the number removed.
 */
export async function removeDeliveriesOfDeleted(sql: Sql, limit: number): Promise<number> {
  const rows = await sql`
    with old as materialized (
      select d.environment_id, d.id from webhook_endpoints e
      cross join lateral (
        select environment_id, id from webhook_deliveries
        where environment_id = e.environment_id and endpoint_id = e.id
        order by id limit ${limit}::int
        for update skip locked
      ) d
      where e.deleted_at is not null
      limit ${limit}::int
    ), attempts as (
      delete from webhook_attempts a using old where a.environment_id = old.environment_id and a.delivery_id = old.id
    )
    delete from webhook_deliveries d using old where d.environment_id = old.environment_id and d.id = old.id
    returning 1`;
  return rows.length;
}
