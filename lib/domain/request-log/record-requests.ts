import type { Sql } from "@/db/client";
import { insertRequests, keepRequestLog as keepLog } from "@/db/queries/request-log";
import type { ActorRecord } from "@/db/schema/operations";
import type { RequestLogRow } from "@/db/schema/request-log";
import type { Endpoint } from "@/lib/contract/endpoint";
import { decodeAnyId } from "@/lib/contract/ids";
import { idTime } from "@/lib/ids";
import { keepableBeside, keptBody, keptQuery, MAX_BODY, MAX_READ, type OwnCard, ownCardOf } from "./redact";

/** A request after its response. Bodies are kept by reference; the stored form is computed later. */
export type CompletedRequest = {
  /** UUID. */
  readonly id: string;
  readonly environmentId: string;
  readonly actor: ActorRecord;
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly path: string;
  /** With its question mark; empty if there is none. */
  readonly search: string;
  /** Id from the path. */
  readonly pathId: string | null;
  readonly status: number;
  readonly durationMs: number;
  readonly idempotencyKey: string | null;
  readonly replayed: boolean;
  /** The parsed JSON body; undefined if there was none. */
  readonly sent: unknown;
  /** The response's JSON text or the value behind it; "left out" if it is too large to hold. */
  readonly response: { readonly text: string } | { readonly value: object } | "left out" | null;
  readonly address: string;
  readonly userAgent: string | null;
};

const MAX_TEXT = 1_000;
const MAX_KEY = 255;
const MAX_AGENT = 300;

/** The row of a request, without secrets or text that PostgreSQL can't store. */
export function rowOf(request: CompletedRequest, leftOut: number): RequestLogRow {
  const card = ownCardOf(request.sent);
  const text = (value: string | null, max = MAX_TEXT) => (value === null ? null : keepableBeside(card, value, max));
  const { status, endpoint } = request;
  const isStaff = request.actor.type === "staff";
  const response = answerOf(request);
  const { code = null, detail = null, param = null } = status >= 400 ? problemOf(response) : {};
  const sent = request.sent === undefined ? null : keptBody(endpoint.body ?? null, request.sent, card);
  const got = responseOf(request, response, card);
  return {
    environment_id: request.environmentId,
    id: request.id,
    actor: request.actor,
    endpoint: endpoint.name,
    method: request.method,
    path: text(request.path) as string,
    query: keptQuery(endpoint.query ?? null, request.search, card, MAX_TEXT),
    status,
    code: status >= 400 ? (code ?? "internal_error") : null,
    detail: text(detail),
    param: text(param),
    duration_ms: Math.round(request.durationMs),
    idempotency_key: text(request.idempotencyKey, MAX_KEY),
    replayed: request.replayed,
    request_body: sent?.body ?? null,
    request_kept: sent?.kept ?? null,
    response_body: got?.body ?? null,
    response_kept: got?.kept ?? null,
    // Merchants must not see where our staff work.
    address: isStaff ? null : request.address,
    user_agent: isStaff ? null : text(request.userAgent, MAX_AGENT),
    object_id: objectOf(request.pathId, response),
    left_out: leftOut,
    created_at: idTime(request.id),
  };
}

function answerOf({ response }: CompletedRequest): unknown {
  if (response === null || response === "left out") return null;
  if ("value" in response) return response.value;
  try {
    return JSON.parse(response.text);
  } catch {
    // Not one of our responses: the row shows that its body is not stored.
    return null;
  }
}

function responseOf({ response, status, endpoint }: CompletedRequest, value: unknown, card: OwnCard) {
  if (response === null) return null;
  if (response === "left out" || value === null) return { body: null, kept: "left_out" as const };
  if (status >= 400) return keptBody(null, value, card);
  const isRead = endpoint.method === "GET" || endpoint.reads;
  return keptBody(endpoint.response, value, card, isRead ? MAX_READ : MAX_BODY);
}

type Problem = { code?: string; detail?: string; param?: string | null };

function problemOf(response: unknown): Problem {
  const { code, detail, param } = (response ?? {}) as Record<string, unknown>;
  return {
    ...(typeof code === "string" && { code }),
    ...(typeof detail === "string" && { detail }),
    ...(typeof param === "string" && { param }),
  };
}

/**
 * The id in the path, or else of the object that was created
 * or refused. Only real ids: callers put anything there.
 */
function objectOf(pathId: string | null, response: unknown): string | null {
  const { id, payment_id: paymentId } = (response ?? {}) as Record<string, unknown>;
  const named = pathId ?? id ?? paymentId;
  return typeof named === "string" && decodeAnyId(named) ? named : null;
}

/** Inserts rows of any environments in one statement. */
export async function recordRequests(service: { db: { sql: Sql } }, rows: readonly RequestLogRow[]): Promise<void> {
  if (rows.length > 0) await insertRequests(service.db.sql, rows);
}

/**
 * Creates partitions for the coming days and drops expired ones, one at a time; returns the number of
 * changes.
 */
export function keepRequestLog(service: { db: { long: Sql } }): Promise<number> {
  return keepLog(service.db.long);
}
