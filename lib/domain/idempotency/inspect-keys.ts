import { wasRecordedLately } from "@/db/queries/accounts/history";
import { findEnvironmentId } from "@/db/queries/accounts/merchants";
import {
  findInspectedKey,
  findRecentKeys,
  type InspectedKey,
  type ListedKey,
  readKeyActors,
} from "@/db/queries/idempotency/inspection";
import { keepableText } from "@/lib/contract/card-numbers";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { AppError } from "@/lib/contract/errors";
import type { Difference, KeyDetail, KeyPage, KeyState, KeySummary } from "@/lib/contract/idempotency/idempotency-key";
import { encodeId } from "@/lib/contract/ids";
import { firstIdAt } from "@/lib/ids";
import { accountActor, recordAccountAct } from "../accounts/activity";
import type { Context } from "../context";
import { presentActor } from "../payments/present";
import { type Can, canSeeBodies } from "../request-log/body-access";

/**
 * Max. length of a shown response: a longer one, of a payment with very many refunds, takes too long to
 * render.
 */
const MAX_SHOWN_LENGTH = 250_000;

/** Lookup of a key. `can`: the user's permissions, which decide whether bodies are shown. */
export type KeyLookup = { key: string; can: Can };

/** The details of a key that the user may see, or null. */
export async function findIdempotencyKey(ctx: Context, input: KeyLookup): Promise<KeyDetail | null> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const row = await findInspectedKey(sql, ctx.environment.id, input.key);
  if (!row) return null;
  const actors = await readKeyActors(sql, ctx.environment, row);
  const reuse = row.last_reuse;
  const tooLong = (row.response_body?.length ?? 0) > MAX_SHOWN_LENGTH;
  const shown = canSeeBodies(row.endpoint, input.can);
  const reuseShown = canSeeBodies(reuse?.endpoint, input.can);
  const hidesResponse = !shown || row.response_sealed || tooLong || row.response_body === null;
  return {
    ...presentKey(row),
    endpoint: row.endpoint,
    request_id: encodeId("request", row.request_id),
    actor: presentActor(row.actor, actors),
    bodies_shown: shown,
    body: shown ? row.request_body : null,
    response: hidesResponse ? null : JSON.parse(row.response_body as string),
    sealed: row.response_sealed,
    too_long: tooLong,
    completed_at: row.completed_at,
    expires_at: row.expires_at,
    last_replayed_at: row.last_replayed_at,
    retry: retryWords(row),
    effect: presentEffect(row),
    reuse: reuse && {
      path: reuse.path,
      request_id: encodeId("request", reuse.request_id),
      actor: presentActor(reuse.actor, actors),
      at: reuse.at,
      body_shown: reuseShown,
      body: reuseShown ? reuse.body : null,
      differences: listDifferences(
        {
          endpoint: `${endpointMethod(row.endpoint)} ${row.path}`,
          body: shown && reuseShown ? row.request_body : null,
        },
        { endpoint: `POST ${reuse.path}`, body: shown && reuseShown ? reuse.body : null },
      ),
    },
  };
}

function presentEffect(row: InspectedKey): KeyDetail["effect"] {
  if (row.o_kind === null || row.o_state === null || row.o_payment_id === null || row.o_transaction_id === null)
    return null;
  return {
    kind: row.o_kind,
    state: row.o_state,
    payment_id: encodeId("payment", row.o_payment_id),
    transaction_id: encodeId("transaction", row.o_transaction_id),
    attempts: row.o_attempts ?? 1,
  };
}

/** Describes what a retry of the request would get now, by the rules of `replyFromKey`. */
function retryWords(row: InspectedKey): string {
  const state = keyState(row);
  switch (state) {
    case "expired":
      return "The key is more than 24 hours old, so it counts as new: the request would run again, as a new operation.";
    case "done":
      return `The same request gets the stored response again (${row.status_code}), byte for byte, with Idempotent-Replayed: true. Nothing runs twice. A different request with this key gets 409 idempotency_key_reused.`;
    case "waiting":
      return "The outcome at the processor is not known yet. A retry checks the same operation and gets 202 until the outcome is known, then the final result. It never starts a second operation.";
    case "running":
      return row.lease_over
        ? "The first request stopped before it had a response. A retry continues the same operation and never starts a second one."
        : "The first request is still running. A retry waits up to 2 seconds for its response, then gets 409 idempotency_request_in_progress and can be sent again.";
    default:
      return state satisfies never;
  }
}

/** An open page polls every few seconds; its requests within this time are recorded as one lookup. */
const SAME_LOOK_MS = 10 * 60_000;

/**
 * Records a user's lookup, then calls `findIdempotencyKey`. Lookups of support staff are in their own log.
 * The key is masked for the record, because users may paste anything.
 */
export async function lookUpIdempotencyKey(ctx: Context, input: KeyLookup): Promise<KeyDetail | null> {
  if (ctx.actor.type === "user") await recordLook(ctx, keepableText(input.key, 255));
  return findIdempotencyKey(ctx, input);
}

/** Like `lookUpIdempotencyKey`, but throws `resource_not_found` for an unknown key. */
export async function getIdempotencyKey(ctx: Context, input: KeyLookup): Promise<KeyDetail> {
  const found = await lookUpIdempotencyKey(ctx, input);
  if (found) return found;
  throw new AppError(
    "resource_not_found",
    "There is no such idempotency key in this environment. Keys are kept for 24 hours.",
  );
}

async function recordLook(ctx: Context, key: string): Promise<void> {
  const { orm } = ctx.service.db;
  const { id, mode, merchantId } = ctx.environment;
  const environmentId = await findEnvironmentId(orm, merchantId, "live");
  const look = { action: "settings.idempotency_key_viewed", actorId: ctx.actor.id, objectId: id, key } as const;
  const since = firstIdAt(new Date(ctx.service.clock.now().getTime() - SAME_LOOK_MS));
  if (environmentId !== null && (await wasRecordedLately(orm, environmentId, look, since))) return;
  await recordAccountAct(orm, accountActor(ctx), look.action, id, { mode, key });
}

/** The environment's keys, newest first. `after`: the last key of the previous page. `limit`: at most 100. */
export async function listIdempotencyKeys(
  ctx: Context,
  input: { limit: number; after: string | null },
): Promise<KeyPage> {
  const limit = Math.min(input.limit, 100);
  const page = { limit: limit + 1, after: input.after };
  const rows = await findRecentKeys(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, page);
  return { keys: rows.slice(0, limit).map(presentKey), has_more: rows.length > limit };
}

const METHODS = new Map(ENDPOINTS.map(({ name, method }) => [name, method]));

/** The HTTP method of an endpoint, by its name. */
export const endpointMethod = (endpoint: string): string => METHODS.get(endpoint) ?? "POST";

/** State of a key, from its row and its operation. */
function keyState(row: Pick<ListedKey, "expired" | "state" | "o_state" | "o_unknown_at">): KeyState {
  if (row.expired) return "expired";
  if (row.state === "done") return "done";
  return row.o_state === "open" && row.o_unknown_at !== null ? "waiting" : "running";
}

function presentKey(row: ListedKey): KeySummary {
  return {
    key: row.key,
    state: keyState(row),
    method: endpointMethod(row.endpoint),
    path: row.path,
    status: row.status_code,
    replay_count: row.replay_count,
    reuse_count: row.reuse_count,
    created_at: row.created_at,
  };
}

type Side = { endpoint: string; body: unknown };

/**
 * Differences of two requests: the endpoint first, then members by their paths, such as `metadata.order_id`.
 */
export function listDifferences(first: Side, other: Side): Difference[] {
  const differences: Difference[] = [];
  if (first.endpoint !== other.endpoint) {
    differences.push({ member: "endpoint", first: first.endpoint, other: other.endpoint });
  }
  compare("", first.body ?? {}, other.body ?? {}, differences);
  return differences;
}

/** To the API, a missing member equals null. */
function compare(member: string, first: unknown, other: unknown, differences: Difference[]): void {
  if (isObject(first) && isObject(other)) {
    for (const name of new Set([...Object.keys(first), ...Object.keys(other)])) {
      compare(member ? `${member}.${name}` : name, first[name], other[name], differences);
    }
    return;
  }
  if (JSON.stringify(first ?? null) !== JSON.stringify(other ?? null)) differences.push({ member, first, other });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
