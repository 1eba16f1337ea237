import type { Sql } from "@/db/client";
import {
  type FoundRow,
  findApiKeys,
  findClientSessions,
  findDisputes,
  findEnvironments,
  findEvents,
  findIdempotencyKeys,
  findInvoices,
  findKeysOfRequest,
  findLoggedRequests,
  findMerchants,
  findMerchantsByName,
  findOperations,
  findOperationsOfRequest,
  findPaymentMethods,
  findPayments,
  findPayouts,
  findPlans,
  findSettlementBatches,
  findSubscriptions,
  findTransactions,
  findUsers,
} from "@/db/queries/support/search";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId, ID_PREFIX, type IdKind } from "@/lib/contract/ids";
import { HOLDS_SECRET, holdsSecret } from "@/lib/contract/secrets";
import {
  SEARCH_GROUPS,
  SEARCH_LIMIT,
  type SearchHit,
  type SearchKind,
  type SearchResponse,
} from "@/lib/contract/support/search-results";
import { firstIdAt, idTime } from "@/lib/ids";
import { findTransactionsEverywhere, type PageOfSearch, readTransactionSearch } from "./find-transactions";
import type { StaffCall } from "./staff";
import { recordStaffAct } from "./staff-acts";

/** One more than is shown, to detect further hits. */
const FETCH = SEARCH_LIMIT + 1;

/**
 * Searches all merchants' data for every meaning of a text. The search is audited before it runs, and again
 * for each merchant whose data it shows, visible to that merchant.
 */
export async function searchEverything(
  call: StaffCall,
  input: { text: string } & Partial<PageOfSearch>,
): Promise<SearchResponse> {
  const { service, staff, request } = call;
  const text = input.text.trim();
  const terms = readSearch(text);
  const readAs = terms.map(describe);
  await recordStaffAct(service, staff, {
    action: "support.searched",
    detail: { query: text },
    requestId: request.id,
  });
  const { sort = "created_at", order = "desc", page = 1, reach = "recent" } = input;
  const read = terms.some((term) => term.by === "id") ? null : readTransactionSearch(text);
  const transactions = read && (await findTransactionsEverywhere(call, read, { sort, order, page, reach }));
  const found = (await Promise.all(terms.map((term) => findTerm(service.db.sql, term)))).flat();
  const groups = (Object.keys(SEARCH_GROUPS) as SearchKind[]).flatMap((kind) =>
    kind === "transaction" && transactions ? pageOf(transactions) : groupOf(kind, found),
  );
  const shown = new Set(groups.flatMap((group) => group.rows.map((row) => row.merchant_id)));
  for (const merchantId of shown) {
    if (merchantId === null) continue;
    await recordStaffAct(service, staff, {
      action: "support.found",
      merchantId,
      // Without the text, which may be about another merchant.
      detail: null,
      requestId: request.id,
    });
  }
  return {
    text,
    readAs,
    groups: groups.map(({ kind, rows, capped }) => ({ kind, capped, hits: rows.map((row) => presentHit(kind, row)) })),
    transactions: transactions?.search ?? null,
  };
}

/** A search by filters has its own order and pages. */
function pageOf({ rows, search }: Awaited<ReturnType<typeof findTransactionsEverywhere>>) {
  return rows.length === 0 ? [] : [{ kind: "transaction" as const, rows, capped: search.hasMore }];
}

/** Hits of one kind, newest first, without duplicates. */
function groupOf(kind: SearchKind, found: Found[]) {
  const rows = new Map<string, FoundRow>();
  for (const part of found) {
    if (part.kind !== kind) continue;
    for (const row of part.rows) rows.set(`${row.environment_id} ${row.id}`, row);
  }
  if (rows.size === 0) return [];
  const sorted = [...rows.values()].toSorted((a, b) => ((a.at ?? "") < (b.at ?? "") ? 1 : -1));
  return [{ kind, rows: sorted.slice(0, SEARCH_LIMIT), capped: rows.size > SEARCH_LIMIT }];
}

async function findTerm(sql: Sql, term: SearchTerm): Promise<Found[]> {
  switch (term.by) {
    case "id":
      return findId(sql, term);
    case "operation":
      return [{ kind: "operation", rows: await findOperations(sql, term.uuid, FETCH) }];
    case "email":
      return [{ kind: "user", rows: await findUsers(sql, { email: term.email }, FETCH) }];
    case "text":
      return [
        { kind: "merchant", rows: await findMerchantsByName(sql, term.text, FETCH) },
        { kind: "idempotency_key", rows: await findIdempotencyKeys(sql, term.text, FETCH) },
      ];
    default:
      return term satisfies never;
  }
}

async function findId(sql: Sql, { kind, uuid }: SearchTerm & { by: "id" }): Promise<Found[]> {
  switch (kind) {
    case "payment":
      return [{ kind, rows: await findPayments(sql, uuid, FETCH) }];
    case "transaction":
      return [{ kind, rows: await findTransactions(sql, { by: "id", uuid }, FETCH) }];
    case "subscription":
      return [
        { kind, rows: await findSubscriptions(sql, uuid, FETCH) },
        { kind: "transaction", rows: await findTransactions(sql, { by: "subscription", uuid }, FETCH) },
      ];
    case "invoice":
      return [{ kind, rows: await findInvoices(sql, uuid, FETCH) }];
    case "dispute":
      return [{ kind, rows: await findDisputes(sql, uuid, FETCH) }];
    case "paymentMethod":
      return [{ kind: "payment_method", rows: await findPaymentMethods(sql, uuid, FETCH) }];
    case "merchant":
      return [{ kind, rows: await findMerchants(sql, uuid, FETCH) }];
    case "environment":
      return [{ kind, rows: await findEnvironments(sql, uuid, FETCH) }];
    case "user":
      return [{ kind: "user", rows: await findUsers(sql, { id: uuid }, FETCH) }];
    case "apiKey":
      return [{ kind: "api_key", rows: await findApiKeys(sql, uuid, FETCH) }];
    case "plan":
      return [{ kind, rows: await findPlans(sql, uuid, FETCH) }];
    case "clientSession":
      return [{ kind: "client_session", rows: await findClientSessions(sql, uuid, FETCH) }];
    case "settlementBatch":
      return [{ kind: "settlement_batch", rows: await findSettlementBatches(sql, uuid, FETCH) }];
    case "payout":
      return [{ kind, rows: await findPayouts(sql, uuid, FETCH) }];
    case "event":
      return [{ kind, rows: await findEvents(sql, uuid, FETCH) }];
    case "request":
      return findTracesOfRequest(sql, uuid, FETCH);
    // Not for support staff.
    default:
      return [];
  }
}

function describe(term: SearchTerm): string {
  switch (term.by) {
    case "id":
      return `Id of a ${ID_KIND_NAMES[term.kind] ?? term.kind} (${encodeId(term.kind, term.uuid)})`;
    case "operation":
      return "Id of an operation";
    case "email":
      return "E-mail address";
    case "text":
      return "Idempotency key or merchant name";
    default:
      return term satisfies never;
  }
}

const ID_KIND_NAMES: Partial<Record<string, string>> = {
  apiKey: "key",
  paymentMethod: "card on file",
  clientSession: "client session",
  settlementBatch: "settlement batch",
};

type SearchTerm =
  | { by: "id"; kind: IdKind; uuid: string }
  /** An id without a prefix: an operation's, which is also the processor's reference. */
  | { by: "operation"; uuid: string }
  | { by: "email"; email: string }
  /** Idempotency key, or part of a merchant's name. */
  | { by: "text"; text: string };

const MAX_LENGTH = 255;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/**
 * All meanings of a text except transactions. Throws
 * `invalid_parameter` if it is empty, or must not be searched for.
 */
export function readSearch(input: string): SearchTerm[] {
  const text = input.trim();
  if (text === "" || text.length > MAX_LENGTH || text.includes("\u0000") || !text.isWellFormed()) {
    throw refuse(`Type 1 to ${MAX_LENGTH} characters.`);
  }
  if (holdsSecret(text)) throw refuse(HOLDS_SECRET);
  const id = readId(text);
  if (id) return [id];
  // Idempotency keys are often UUIDs.
  if (UUID.test(text)) {
    return [
      { by: "operation", uuid: text.toLowerCase() },
      { by: "text", text },
    ];
  }
  const terms: SearchTerm[] = [];
  if (/^[^\s@]+@[^\s@]+$/.test(text)) terms.push({ by: "email", email: text });
  terms.push({ by: "text", text });
  return terms;
}

function readId(text: string): SearchTerm | null {
  const lower = text.toLowerCase();
  for (const kind of Object.keys(ID_PREFIX) as IdKind[]) {
    const uuid = decodeId(kind, lower);
    if (uuid !== null) return { by: "id", kind, uuid };
  }
  return null;
}

const refuse = (detail: string) => new AppError("invalid_parameter", detail, { param: "q" });

/** Time after its arrival in which a request can write its intent; its body may arrive slowly. */
const WINDOW_MS = 30_000;
/** Tolerated difference between the database's clock and the one that made the request's id. */
const CLOCK_SKEW_MS = 5_000;
const NO_TIME_MS = Date.UTC(9999, 0);

/** Traces of a request: the operations it started, the keys it first used, and its row in the request log. */
async function findTracesOfRequest(sql: Sql, requestId: string, limit: number): Promise<Found[]> {
  const time = Date.parse(idTime(requestId));
  // Ids can hold times up to the year 10889, which the database can't represent.
  if (time + WINDOW_MS + CLOCK_SKEW_MS >= NO_TIME_MS) return [];
  const at = (offsetMs: number) => new Date(time + offsetMs);
  const window = { from: at(-CLOCK_SKEW_MS).toISOString(), until: at(WINDOW_MS + CLOCK_SKEW_MS).toISOString() };
  return [
    { kind: "operation", rows: await findOperationsOfRequest(sql, requestId, firstIdAt(at(WINDOW_MS)), limit) },
    { kind: "idempotency_key", rows: await findKeysOfRequest(sql, requestId, window, limit) },
    { kind: "request", rows: await findLoggedRequests(sql, requestId, limit) },
  ];
}

/** Kinds whose ids are shown as public ids; the others are shown unchanged. */
const ID_KINDS: Partial<Record<SearchKind, IdKind>> = {
  merchant: "merchant",
  environment: "environment",
  user: "user",
  payment: "payment",
  transaction: "transaction",
  subscription: "subscription",
  invoice: "invoice",
  dispute: "dispute",
  payment_method: "paymentMethod",
  request: "request",
  api_key: "apiKey",
  plan: "plan",
  client_session: "clientSession",
  settlement_batch: "settlementBatch",
  payout: "payout",
  event: "event",
};

function presentHit(kind: SearchKind, row: FoundRow): SearchHit {
  const idKind = ID_KINDS[kind];
  const id = idKind ? encodeId(idKind, row.id) : row.id;
  const merchant =
    row.merchant_id === null || row.merchant_name === null
      ? null
      : { id: encodeId("merchant", row.merchant_id), name: row.merchant_name };
  return {
    id,
    href: kind in OWN_PAGES ? `/support/${OWN_PAGES[kind]}/${id}` : hrefOf(row, merchant),
    title: row.title ?? id,
    card: row.card_last4 === null ? null : { brand: row.card_brand, last4: row.card_last4 },
    email: row.customer_email,
    merchant,
    mode: row.mode,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    at: row.at,
  };
}

const OWN_PAGES: Partial<Record<SearchKind, string>> = {
  request: "requests",
  subscription: "subscriptions",
  invoice: "invoices",
  dispute: "disputes",
};

function hrefOf(row: FoundRow, merchant: { id: string } | null): string | null {
  if (row.payment_id !== null) return `/support/payments/${encodeId("payment", row.payment_id)}`;
  return merchant && `/support/merchants/${merchant.id}${row.mode === "live" ? "?mode=live" : ""}`;
}

type Found = { readonly kind: SearchKind; readonly rows: FoundRow[] };
