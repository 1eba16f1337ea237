import type { Orm } from "@/db/client";
import { hasNoEvent } from "@/db/queries/changes";
import {
  countWebhookEndpoints,
  deleteWebhookSecrets,
  expireWebhookSecrets,
  findWebhookEndpoint,
  insertWebhookEndpoint,
  insertWebhookSecret,
  listWebhookEndpoints as listRows,
  lockWebhookEndpoint,
  moveWebhookEndpoint,
  readPublicKeys,
  updateWebhookEndpoint as writeEndpoint,
} from "@/db/queries/webhooks/endpoints";
import type { WebhookEndpointRow } from "@/db/schema/webhooks";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import type {
  CreateWebhookEndpointBody,
  ListWebhookEndpointsQuery,
  UpdateWebhookEndpointBody,
} from "@/lib/contract/webhooks/endpoints";
import type { WebhookEndpoint } from "@/lib/contract/webhooks/webhook-endpoint";
import { idTime, newId } from "@/lib/ids";
import { newSigningKeys } from "@/lib/webhooks/signature";
import { type Context, type Reply, resourceNotFound } from "../context";
import { changedMembers, recordAct, recordChange } from "../events/event";
import { runOnce } from "../idempotency/run-once";
import { type ListResult, presentList } from "../lists";

/** Each is matched with every event. Two concurrent requests may exceed it by one. */
const MAX_ENDPOINTS = 50;

const orm = (ctx: Context) => ctx.service.db.within(ctx.environment.id).orm;

/**
 * Creates an endpoint that receives all events from now on. Its secret is only in this response and its
 * replays.
 */
export async function createWebhookEndpoint(ctx: Context, input: CreateWebhookEndpointBody): Promise<Reply> {
  // A DNS lookup may take seconds, so it precedes the transaction. A repeat still gets its stored response.
  const refusal = await ctx.service.webhooks.findRefusal(input.url);
  return runOnce(
    ctx,
    async (tx) => {
      requireReachable(refusal);
      if ((await countWebhookEndpoints(tx, ctx.environment.id)) >= MAX_ENDPOINTS) {
        const detail = `There are ${MAX_ENDPOINTS} webhook endpoints, and no more are possible. Delete one first.`;
        throw new AppError("invalid_state", detail, { extra: { current_status: "FULL", allowed_actions: [] } });
      }
      const id = newId();
      const created_at = idTime(id);
      const row = await insertWebhookEndpoint(tx, ctx.environment.id, {
        id,
        ...input,
        status: "ENABLED",
        disabled_reason: null,
        failing_since: null,
        deleted_at: null,
        last_notice: null,
        // Unproven: until its first success, it shares the slots of failing endpoints.
        slow_lane_since: created_at,
        created_at,
        updated_at: created_at,
      });
      if (row === null) throw urlTaken();
      const keys = await addSecret(ctx, tx, id);
      await recordAct(ctx, tx, "webhook_endpoint.created", id);
      return presentEndpoint(row, ctx.environment.mode, keys.publicKey, keys.secret);
    },
    { secretResponse: true },
  );
}

function urlTaken(): AppError {
  const message =
    "There is already a webhook endpoint with this url in this environment. Change or delete that one, or use another url.";
  return new AppError("already_exists", message, { errors: [{ param: "url", code: "already_exists", message }] });
}

function requireReachable(refusal: string | null): void {
  if (refusal === null) return;
  const message = `Webhooks cannot be sent there. ${refusal}`;
  throw new AppError("invalid_parameter", message, {
    errors: [{ param: "url", code: "invalid_parameter", message }],
  });
}

async function addSecret(ctx: Context, tx: Orm, endpointId: string) {
  const { publicKey, ...keys } = newSigningKeys();
  await insertWebhookSecret(tx, ctx.environment.id, {
    endpoint_id: endpointId,
    id: newId(),
    sealed: ctx.service.secret.seal(JSON.stringify(keys)),
    public_key: publicKey,
  });
  return { publicKey, secret: keys.secret };
}

/** Newest first. */
export async function listWebhookEndpoints(
  ctx: Context,
  query: ListWebhookEndpointsQuery,
): Promise<ListResult<WebhookEndpoint>> {
  const { limit = 20, offset = 0 } = query;
  const [rows, total] = await Promise.all([
    listRows(orm(ctx), ctx.environment.id, { limit: limit + 1, offset }),
    countWebhookEndpoints(orm(ctx), ctx.environment.id),
  ]);
  const shown = rows.slice(0, limit);
  const keys = await readPublicKeys(
    orm(ctx),
    ctx.environment.id,
    shown.map(({ id }) => id),
  );
  const data = shown.map((row) => presentEndpoint(row, ctx.environment.mode, keys.get(row.id) ?? null));
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}

export async function getWebhookEndpoint(ctx: Context, input: { id: string }): Promise<WebhookEndpoint> {
  return presentNow(ctx, orm(ctx), await getEndpointRow(ctx, input.id));
}

/** Throws `resource_not_found` if it is unknown, malformed, foreign or deleted. */
export async function getEndpointRow(ctx: Context, publicId: string): Promise<WebhookEndpointRow> {
  const id = decodeId("webhookEndpoint", publicId);
  const row = id === null ? null : await findWebhookEndpoint(orm(ctx), ctx.environment.id, id);
  if (row === null) throw resourceNotFound("webhook endpoint", publicId);
  return row;
}

/** Like `getEndpointRow`, locked until the transaction ends. */
export async function lockEndpointRow(ctx: Context, tx: Orm, publicId: string): Promise<WebhookEndpointRow> {
  const id = decodeId("webhookEndpoint", publicId);
  const row = id === null ? null : await lockWebhookEndpoint(tx, ctx.environment.id, id);
  if (row === null) throw resourceNotFound("webhook endpoint", publicId);
  return row;
}

export function requireEnabled({ status }: Pick<WebhookEndpointRow, "status">): void {
  if (status === "ENABLED") return;
  throw new AppError("invalid_state", "The webhook endpoint is DISABLED, and nothing is sent there. Enable it first.", {
    extra: { current_status: status, allowed_actions: [] },
  });
}

/**
 * Changes the given fields. Re-enabling or a new URL starts another five days. Disabling one that we disabled
 * makes it the user's decision, which ends the notices.
 */
export async function updateWebhookEndpoint(
  ctx: Context,
  input: UpdateWebhookEndpointBody & { id: string },
): Promise<WebhookEndpoint> {
  const { id: publicId, ...body } = input;
  const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  await getEndpointRow(ctx, publicId);
  // A DNS lookup may take seconds, so it precedes the row lock.
  if (body.url !== undefined) requireReachable(await ctx.service.webhooks.findRefusal(body.url));
  return orm(ctx).transaction(async (tx) => {
    const row = await lockEndpointRow(ctx, tx, publicId);
    const enabled = body.status === "ENABLED" && row.status !== "ENABLED";
    const now = ctx.service.clock.now().toISOString();
    const urlChanged = body.url !== undefined && body.url !== row.url;
    const disabled = body.status === "DISABLED" && row.status !== "DISABLED";
    const manual = body.status === "DISABLED" && row.disabled_reason !== "manual";
    const begins = enabled || (urlChanged && row.status === "ENABLED");
    const updated = await moveWebhookEndpoint(tx, ctx.environment.id, row.id, {
      ...sent,
      ...(enabled && { disabled_reason: null }),
      // Like a new endpoint: no failures yet, and it must first succeed.
      ...(begins && { failing_since: null, slow_lane_since: now, last_notice: null }),
      ...(manual && { disabled_reason: "manual" }),
      updated_at: now,
    });
    if (updated === null) throw urlTaken();
    const changes = changedMembers(row, updated);
    // Only field names: a URL may hold a secret, and the history is permanent.
    const changed = Object.keys(sent).filter((name) => name in changes);
    await recordAct(ctx, tx, "webhook_endpoint.updated", row.id, { changed });
    if (disabled) await notifyDisabled(ctx, tx, row, updated);
    return presentNow(ctx, tx, updated);
  });
}

/** Stops deliveries. The secrets are deleted immediately, the deliveries soon after. */
export function deleteWebhookEndpoint(
  ctx: Context,
  input: { id: string },
): Promise<{ id: string; object: "webhook_endpoint"; deleted: true }> {
  return orm(ctx).transaction(async (tx) => {
    const row = await lockEndpointRow(ctx, tx, input.id);
    const deleted_at = ctx.service.clock.now().toISOString();
    await writeEndpoint(tx, ctx.environment.id, row.id, { deleted_at, updated_at: deleted_at });
    await deleteWebhookSecrets(tx, ctx.environment.id, row.id);
    await recordAct(ctx, tx, "webhook_endpoint.deleted", row.id);
    return { id: encodeId("webhookEndpoint", row.id), object: "webhook_endpoint", deleted: true };
  });
}

const HOUR_MS = 3_600_000;

/**
 * Creates a new secret, which is only in this response and its
 * replays. Earlier ones also sign until the overlap ends.
 */
export function rotateWebhookSecret(ctx: Context, input: { id: string; overlap_hours: 0 | 1 | 24 }): Promise<Reply> {
  return runOnce(
    ctx,
    async (tx) => {
      const row = await lockEndpointRow(ctx, tx, input.id);
      const now = ctx.service.clock.now();
      const expiresAt = new Date(now.getTime() + input.overlap_hours * HOUR_MS).toISOString();
      await expireWebhookSecrets(tx, ctx.environment.id, row.id, { expiresAt, now: now.toISOString() });
      const keys = await addSecret(ctx, tx, row.id);
      const updated = await writeEndpoint(tx, ctx.environment.id, row.id, { updated_at: now.toISOString() });
      await recordAct(ctx, tx, "webhook_endpoint.secret_rotated", row.id);
      return presentEndpoint(updated, ctx.environment.mode, keys.publicKey, keys.secret);
    },
    { secretResponse: true },
  );
}

/**
 * Disables an endpoint that is gone, or has failed since before a time, unless
 * it is already disabled or its URL has changed. Returns true if it did.
 */
export async function disableFailing(
  ctx: Context,
  endpointId: string,
  { url, reason, failingBefore }: { url: string; reason: "gone" | "failing"; failingBefore: string },
): Promise<boolean> {
  const isOver = (row: WebhookEndpointRow | null): row is WebhookEndpointRow =>
    row?.status === "ENABLED" &&
    row.url === url &&
    (reason === "gone" || (row.failing_since !== null && row.failing_since <= failingBefore));
  // Most failures are early in a series and need no lock.
  if (!isOver(await findWebhookEndpoint(orm(ctx), ctx.environment.id, endpointId))) return false;
  return orm(ctx).transaction(async (tx) => {
    const row = await lockWebhookEndpoint(tx, ctx.environment.id, endpointId);
    if (!isOver(row)) return false;
    const updated = await writeEndpoint(tx, ctx.environment.id, row.id, {
      status: "DISABLED",
      disabled_reason: reason,
      updated_at: ctx.service.clock.now().toISOString(),
    });
    await notifyDisabled(ctx, tx, row, updated);
    return true;
  });
}

async function notifyDisabled(ctx: Context, tx: Orm, before: WebhookEndpointRow, after: WebhookEndpointRow) {
  const object = await presentNow(ctx, tx, after);
  const changed = changedMembers(await presentNow(ctx, tx, before), object);
  const previous = (await hasNoEvent(tx, ctx.environment.id, after.id)) ? null : changed;
  const type = "webhook_endpoint.disabled";
  await recordChange(ctx, tx, { type, action: type, objectId: after.id, data: { object, previous } });
}

/** The endpoint's current state, without its secret. */
export async function presentNow(ctx: Context, on: Orm, row: WebhookEndpointRow): Promise<WebhookEndpoint> {
  const keys = await readPublicKeys(on, ctx.environment.id, [row.id]);
  return presentEndpoint(row, ctx.environment.mode, keys.get(row.id) ?? null);
}

/** Converts the row to the API's format. `secret`: only in the response that creates it. */
function presentEndpoint(
  row: WebhookEndpointRow,
  mode: Mode,
  publicKey: string | null,
  secret: string | null = null,
): WebhookEndpoint {
  return {
    id: encodeId("webhookEndpoint", row.id),
    object: "webhook_endpoint",
    url: row.url,
    description: row.description,
    event_types: row.event_types,
    payload: row.payload,
    signature: row.signature,
    status: row.status,
    disabled_reason: row.disabled_reason,
    secret,
    public_key: row.signature === "v1" ? null : publicKey,
    environment: API_ENVIRONMENTS[mode],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
