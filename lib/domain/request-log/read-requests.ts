import { type ActorNames, readActorNames } from "@/db/queries/payments/payment-detail";
import {
  countErrors,
  countLeftOut,
  findRequest,
  findRequestAnywhere,
  findRequests,
  type ListedRequest,
  listTransactionIds,
  type RequestFilters,
} from "@/db/queries/request-log";
import { isCanceled } from "@/db/refusals";
import type { RequestLogRow } from "@/db/schema/request-log";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { AppError, ERRORS, type ErrorCode } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { addDays } from "@/lib/contract/reporting/period";
import {
  type LoggedBody,
  REQUEST_LOG_DAYS,
  type RequestDetail,
  type RequestFigures,
  type RequestPage,
  type RequestSummary,
  type RequestsQuery,
  type Resend,
} from "@/lib/contract/request-log/requests";
import { startOfDay } from "@/lib/contract/transactions/time-range";
import { firstIdAt, idTime } from "@/lib/ids";
import type { Context, Environment, Service } from "../context";
import { presentActor } from "../payments/present";
import { type Can, canSeeBodies } from "./body-access";
import { REDACTED } from "./redact";

const DAY_MS = 86_400_000;
/** Greater than every id of our version. */
const AFTER_ALL = "ffffffff-ffff-ffff-ffff-ffffffffffff";

type ReadContext = Pick<Context, "service" | "environment">;
const sqlOf = ({ service, environment }: ReadContext) => service.db.within(environment.id).sql;
const keptFrom = ({ service }: Pick<ReadContext, "service">) =>
  firstIdAt(new Date(service.clock.now().getTime() - REQUEST_LOG_DAYS * DAY_MS));

/**
 * The environment's requests, newest first. `limit`: at most 100. Days are in `timeZone`. Throws
 * `invalid_parameter` if the filters match so few requests that the search takes too long.
 */
export async function listRequests(
  ctx: ReadContext,
  query: RequestsQuery,
  limit: number,
  timeZone = "UTC",
): Promise<RequestPage> {
  const { id, merchantId } = ctx.environment;
  const sql = sqlOf(ctx);
  const max = Math.min(limit, 100);
  const filters = await filtersOf(ctx, query, timeZone);
  if (filters === null) return { requests: [], has_more: false };
  try {
    const rows = await findRequests(sql, id, filters, max + 1);
    const shown = rows.slice(0, max);
    const names = await readActorNames(
      sql,
      { id, merchantId },
      shown.map(({ actor }) => actor),
    );
    return { requests: shown.map((row) => presentRequest(row, names)), has_more: rows.length > max };
  } catch (error) {
    if (!isCanceled(error)) throw error;
    throw new AppError("invalid_parameter", "This search takes too long. Choose fewer days or another filter.", {
      param: "from",
    });
  }
}

/** Null if nothing can match. */
async function filtersOf(ctx: ReadContext, query: RequestsQuery, timeZone: string): Promise<RequestFilters | null> {
  const { status, method, endpoint, code, q, caller, from, to, starting_after: after } = query;
  const first = keptFrom(ctx);
  const start = from === undefined ? first : firstIdAt(new Date(startOfDay(timeZone, from)));
  const end = to === undefined ? AFTER_ALL : firstIdAt(new Date(startOfDay(timeZone, addDays(to, 1))));
  const cursor = after === undefined ? AFTER_ALL : decodeId("request", after);
  const actorId = caller === undefined ? null : (decodeId("apiKey", caller) ?? decodeId("user", caller));
  if (cursor === null || (caller !== undefined && actorId === null)) return null;
  return {
    from: start > first ? start : first,
    before: cursor < end ? cursor : end,
    ...(status && { statuses: statusesOf(status) }),
    ...(method && { method }),
    ...(endpoint && { endpoint }),
    ...(code && { code }),
    ...(actorId && { actorId }),
    ...(q && (await meaningOf(ctx, q))),
  };
}

function statusesOf(status: string): [number, number] {
  if (status === "errors") return [400, 599];
  if (!status.endsWith("xx")) return [Number(status), Number(status)];
  const first = Number(status[0]) * 100;
  return [first, first + 99];
}

const TYPE_ID = /^[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** A path, an object's id, or otherwise an idempotency key. A payment's id includes its transactions. */
async function meaningOf(ctx: ReadContext, text: string): Promise<Partial<RequestFilters>> {
  const q = text.trim();
  if (q.startsWith("/")) return { pathPrefix: q };
  if (!TYPE_ID.test(q)) return { idempotencyKey: q };
  const payment = decodeId("payment", q);
  if (payment === null) return { objectIds: [q] };
  const transactions = await listTransactionIds(sqlOf(ctx), ctx.environment.id, payment);
  return { objectIds: [q, ...transactions.map((id) => encodeId("transaction", id))] };
}

/** Number of the latest errors that are grouped. */
const MAX_ERRORS = 10_000;

/** The latest errors by code, and the number of requests that were not stored. */
export async function readRequestFigures(ctx: ReadContext): Promise<RequestFigures> {
  const from = keptFrom(ctx);
  const { id } = ctx.environment;
  const [groups, leftOut] = await Promise.all([
    countErrors(sqlOf(ctx), id, { from, limit: MAX_ERRORS }),
    countLeftOut(sqlOf(ctx), id, from),
  ]);
  return {
    left_out: leftOut,
    errors: groups.map(({ code, count, first_id, last_id }) => ({
      code,
      count,
      first_at: idTime(first_id),
      last_at: idTime(last_id),
    })),
    errors_capped: groups.reduce((sum, { count }) => sum + count, 0) >= MAX_ERRORS,
  };
}

const notFound = (id: string) =>
  new AppError("resource_not_found", `There is no request '${id}' in this environment. Requests are kept for 30 days.`);

/**
 * One request of the environment by its `req_…` id, limited to what `can` allows. Throws
 * `resource_not_found`.
 */
export async function getRequest(ctx: ReadContext, input: { id: string; can: Can }): Promise<RequestDetail> {
  const id = decodeId("request", input.id);
  const row = id && (await findRequest(sqlOf(ctx), ctx.environment.id, id));
  if (!row) throw notFound(input.id);
  return detailOf(ctx, row, input.can);
}

/** A request by its id in any environment, for support staff only. */
export async function findRequestOfAnyone(
  service: Pick<Service, "db">,
  requestId: string,
): Promise<{ environmentId: string; row: RequestLogRow } | null> {
  const id = decodeId("request", requestId);
  const row = id && (await findRequestAnywhere(service.db.sql, id));
  return row ? { environmentId: row.environment_id, row } : null;
}

export async function detailOf(ctx: ReadContext, row: RequestLogRow, can: Can): Promise<RequestDetail> {
  const { id, merchantId } = ctx.environment;
  const names = await readActorNames(sqlOf(ctx), { id, merchantId }, [row.actor]);
  const endpoint = ENDPOINTS.find(({ name }) => name === row.endpoint);
  const isShown = canSeeBodies(row.endpoint, can);
  const hidden: LoggedBody = { kept: null, text: null };
  const request = { kept: row.request_kept, text: row.request_body };
  return {
    ...presentRequest(row, names),
    query: row.query,
    param: row.param,
    idempotency_key: row.idempotency_key,
    object_id: row.object_id,
    address: row.address,
    user_agent: row.user_agent,
    request: isShown ? request : hidden,
    response: isShown ? { kept: row.response_kept, text: row.response_body } : hidden,
    bodies_shown: isShown,
    curl: curlOf(ctx.service.baseUrl, isShown ? row : { ...row, request_body: null }),
    resend: endpoint?.idempotency === "required" ? resendOf(ctx, row, endpoint.permissions.some(can)) : null,
  };
}

/** True if an idempotency key stores a refusal with this code. */
const isStored = (code: string): boolean => code in ERRORS && "stored" in ERRORS[code as ErrorCode];

/** Idempotency keys are deleted after this time. */
const KEY_MS = DAY_MS;

function resendOf({ service }: ReadContext, row: RequestLogRow, may: boolean): Resend {
  const { idempotency_key: key, request_body: body, request_kept: kept, path } = row;
  if (!may) return { reason: "Your role doesn't allow this request." };
  if (row.code !== null && !isStored(row.code))
    return { reason: "A response like this isn't stored under the key, so there is nothing to replay." };
  if (kept !== null && kept !== "whole")
    return {
      reason:
        row.endpoint === "createPayment"
          ? "The card or token isn't stored, so this request can't be repeated exactly from here. Send it from your server with the same key, or use the command below."
          : "Part of the body isn't stored, so this request can't be repeated exactly from here.",
    };
  if (row.replayed)
    return { reason: "This was already a retry. Open the first request with this key to get its response again." };
  const [, , , id] = path.split("/");
  if (key === null || key.includes(REDACTED) || id === undefined || decodeAny(id) === null)
    return { reason: "Its key or path isn't stored exactly as sent." };
  if (service.clock.now().getTime() - Date.parse(row.created_at) >= KEY_MS)
    return {
      reason:
        "This request is more than 24 hours old and its key has expired: sending it again would move money again.",
    };
  return { reason: null, id, idempotency_key: key, body };
}

const decodeAny = (id: string) => decodeId("payment", id) ?? decodeId("transaction", id);

function presentRequest(row: ListedRequest, names: ActorNames): RequestSummary {
  const { endpoint, method, path, status, code, detail, duration_ms, replayed, left_out, created_at } = row;
  return {
    id: encodeId("request", row.id),
    endpoint,
    method,
    path,
    status,
    code,
    detail,
    duration_ms,
    replayed,
    left_out,
    created_at,
    actor: presentActor(row.actor, names),
  };
}

/** Quotes a text for the shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Command that repeats the request, with the API key from the shell's
 * environment and placeholders for values that are not stored.
 */
function curlOf(baseUrl: string, row: RequestLogRow): string {
  const { method, path, query, idempotency_key: key, request_body: body } = row;
  const url = quoted(`${baseUrl}${path}${query === null ? "" : `?${query}`}`);
  const parts = [
    method === "GET" ? `curl ${url}` : method === "HEAD" ? `curl -I ${url}` : `curl -X ${method} ${url}`,
    '-H "X-Api-Key: $CARDLANE_KEY"',
    ...(key === null ? [] : [`-H ${quoted(`X-Idempotency-Key: ${key}`)}`]),
    ...(body === null ? [] : [`-H "Content-Type: application/json"`, `-d ${quoted(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

/** An environment's latest refused or failed requests, newest first, for support. `limit`: at most 100. */
export async function listRecentErrors(
  service: Service,
  environment: Environment,
  limit: number,
): Promise<RequestSummary[]> {
  const { requests } = await listRequests({ service, environment }, { status: "errors" }, limit);
  return requests;
}
