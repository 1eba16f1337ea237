import type { Sql } from "@/db/client";
import {
  type FoundRow,
  findApiKeys,
  findClientSessions,
  findEnvironments,
  findEvents,
  findIdempotencyKeys,
  findKeysOfRequest,
  findMerchants,
  findMerchantsByName,
  findOperations,
  findOperationsOfRequest,
  findPayments,
  findPeople,
  findPlans,
  findRequestErrors,
  findSettlementBatches,
  findTransactions,
} from "@/db/queries/support/search";
import { maskCardNumbers } from "@/lib/contract/card-numbers";
import { CURRENCY_DIGITS, isSupportedCurrency, MAX_AMOUNT } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId, ID_PREFIX, type IdKind } from "@/lib/contract/ids";
import {
  SEARCH_GROUPS,
  SEARCH_LIMIT,
  type SearchAnswer,
  type SearchHit,
  type SearchKind,
} from "@/lib/contract/support/search-results";
import { firstIdAt, idTime } from "@/lib/ids";
import type { StaffCall } from "./staff";
import { recordStaffAct } from "./staff-acts";

/** One more than is shown, which tells whether there are more. */
const FETCH = SEARCH_LIMIT + 1;

/**
 * Finds whatever a text may mean, in all merchants' data. The search is written down before it is made, and for each
 * merchant whose data it shows once more, which is what that merchant sees.
 */
export async function searchEverything(call: StaffCall, input: { text: string }): Promise<SearchAnswer> {
  const { service, staff, request } = call;
  const text = input.text.trim();
  const terms = readSearch(text);
  const readAs = terms.map(describe);
  await recordStaffAct(service, staff, {
    action: "support.searched",
    detail: { query: text },
    requestId: request.id,
  });
  const found = (await Promise.all(terms.map((term) => findTerm(service.db.sql, term)))).flat();
  const groups = (Object.keys(SEARCH_GROUPS) as SearchKind[]).flatMap((kind) => groupOf(kind, found));
  const shown = new Set(groups.flatMap((group) => group.rows.map((row) => row.merchant_id)));
  for (const merchantId of shown) {
    if (merchantId === null) continue;
    await recordStaffAct(service, staff, {
      action: "support.found",
      merchantId,
      detail: { query: text },
      requestId: request.id,
    });
  }
  return {
    text,
    readAs,
    groups: groups.map(({ kind, rows, capped }) => ({ kind, capped, hits: rows.map((row) => presentHit(kind, row)) })),
  };
}

/** Hits of one kind, newest first; a thing that was found in two ways is one hit. */
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
      return [
        { kind: "person", rows: await findPeople(sql, { email: term.email }, FETCH) },
        { kind: "transaction", rows: await findTransactions(sql, { by: "email", text: term.email }, FETCH) },
      ];
    case "last4":
      return [{ kind: "transaction", rows: await findTransactions(sql, { by: "last4", text: term.last4 }, FETCH) }];
    case "amount": {
      const rows = term.amounts.map((amount) => findTransactions(sql, { by: "amount", ...amount }, FETCH));
      return [{ kind: "transaction", rows: (await Promise.all(rows)).flat() }];
    }
    case "text":
      return [
        { kind: "merchant", rows: await findMerchantsByName(sql, term.text, FETCH) },
        { kind: "idempotency_key", rows: await findIdempotencyKeys(sql, term.text, FETCH) },
        { kind: "transaction", rows: await findTransactions(sql, { by: "customer", text: term.text }, FETCH) },
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
      return [{ kind: "transaction", rows: await findTransactions(sql, { by: "subscription", uuid }, FETCH) }];
    case "merchant":
      return [{ kind, rows: await findMerchants(sql, uuid, FETCH) }];
    case "environment":
      return [{ kind, rows: await findEnvironments(sql, uuid, FETCH) }];
    case "user":
      return [{ kind: "person", rows: await findPeople(sql, { id: uuid }, FETCH) }];
    case "apiKey":
      return [{ kind: "api_key", rows: await findApiKeys(sql, uuid, FETCH) }];
    case "plan":
      return [{ kind, rows: await findPlans(sql, uuid, FETCH) }];
    case "clientSession":
      return [{ kind: "client_session", rows: await findClientSessions(sql, uuid, FETCH) }];
    case "settlementBatch":
      return [{ kind: "settlement_batch", rows: await findSettlementBatches(sql, uuid, FETCH) }];
    case "event":
      return [{ kind, rows: await findEvents(sql, uuid, FETCH) }];
    case "request":
      return findTracesOfRequest(sql, uuid, FETCH);
    // Nothing of support's business.
    default:
      return [];
  }
}

function describe(term: SearchTerm): string {
  switch (term.by) {
    case "id":
      return `id of a ${ID_WORDS[term.kind] ?? term.kind} (${encodeId(term.kind, term.uuid)})`;
    case "operation":
      return "id of an operation";
    case "email":
      return "e-mail address";
    case "last4":
      return "last 4 digits of a card";
    case "amount":
      return term.amounts.length === 1 && term.amounts[0]?.currencies.length === 1
        ? `amount in ${term.amounts[0].currencies[0]}`
        : "amount in any currency";
    case "text":
      return "idempotency key, customer id or merchant name";
    default:
      return term satisfies never;
  }
}

const ID_WORDS: Partial<Record<string, string>> = {
  apiKey: "key",
  clientSession: "client session",
  settlementBatch: "settlement batch",
  user: "person",
};

/** Minor units, with the currencies in which the text means that many. */
type AmountMeant = { readonly minor: number; readonly currencies: readonly string[] };

type SearchTerm =
  | { by: "id"; kind: IdKind; uuid: string }
  /** An id without a prefix: an operation's, which is also the processor's reference. */
  | { by: "operation"; uuid: string }
  | { by: "email"; email: string }
  | { by: "last4"; last4: string }
  | { by: "amount"; amounts: readonly AmountMeant[] }
  /** Idempotency key, the merchant's own id of a customer, or part of a merchant's name. */
  | { by: "text"; text: string };

const MAX_LENGTH = 255;
const API_KEY = /sk_(?:test|live)_[0-9A-Za-z]{8}/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SYMBOLS: Record<string, string> = { $: "USD", "€": "EUR", "£": "GBP", "¥": "JPY" };
const AMOUNT = /^(?:([a-z]{3})\s*)?(?:([$€£¥])\s*)?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,4}))?(?:\s*([a-z]{3}))?$/i;

/** Everything that a text may mean. Throws `invalid_parameter` for what must not be searched by, or is empty. */
export function readSearch(input: string): SearchTerm[] {
  const text = input.trim();
  if (text === "" || text.length > MAX_LENGTH || text.includes("\u0000") || !text.isWellFormed()) {
    throw refuse(`Type 1 to ${MAX_LENGTH} characters.`);
  }
  const id = readId(text);
  if (id) return [id];
  // Keys of idempotency are often UUIDs.
  if (UUID.test(text)) {
    return [
      { by: "operation", uuid: text.toLowerCase() },
      { by: "text", text },
    ];
  }
  if (maskCardNumbers(text) !== text || API_KEY.test(text)) {
    throw refuse("That looks like a card number or a whole API key. Search by the last 4 digits, or the key's id.");
  }
  const terms: SearchTerm[] = [];
  if (/^[^\s@]+@[^\s@]+$/.test(text)) terms.push({ by: "email", email: text });
  const last4 = /^[•*·\s]*(\d{4})$/.exec(text)?.[1];
  if (last4) terms.push({ by: "last4", last4 });
  const amounts = readAmounts(text);
  if (amounts.length > 0) terms.push({ by: "amount", amounts });
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

/** "12.34 USD", "$1,234" or "12.34": without a currency it may be any with as many decimals. */
function readAmounts(text: string): AmountMeant[] {
  const match = AMOUNT.exec(text);
  if (!match) return [];
  const [, before, symbol, whole = "", fraction = "", after] = match;
  const codes = [before, after].filter((code) => code !== undefined).map((code) => code.toUpperCase());
  if (symbol) codes.push(SYMBOLS[symbol] as string);
  const [currency] = codes;
  if (codes.some((code) => code !== currency || !isSupportedCurrency(code))) return [];
  const digits = whole.replaceAll(",", "");
  const amounts: AmountMeant[] = [];
  for (const [decimals, currencies] of currenciesByDigits(currency)) {
    const minor = Number(digits + fraction.padEnd(decimals, "0"));
    if (fraction.length <= decimals && minor > 0 && minor <= MAX_AMOUNT) amounts.push({ minor, currencies });
  }
  return amounts;
}

function currenciesByDigits(only: string | undefined): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const [code, digits] of CURRENCY_DIGITS) {
    if (only === undefined || code === only) groups.set(digits, [...(groups.get(digits) ?? []), code]);
  }
  return groups;
}

const refuse = (detail: string) => new AppError("invalid_parameter", detail, { param: "q" });

/** How long after its arrival a request may still write its intent; its body may come slowly. */
const WINDOW_MS = 30_000;
/** How far the clock that made the request's id and the database's may be apart. */
const CLOCK_SKEW_MS = 5_000;
const NO_TIME_MS = Date.UTC(9999, 0);

/** What a request left behind: what it began, the keys it used first, its refusal. One that only read leaves nothing. */
async function findTracesOfRequest(sql: Sql, requestId: string, limit: number): Promise<Found[]> {
  const time = Date.parse(idTime(requestId));
  // Ids hold times up to the year 10889; no request was made then, and the database knows no such time.
  if (time + WINDOW_MS + CLOCK_SKEW_MS >= NO_TIME_MS) return [];
  const at = (offsetMs: number) => new Date(time + offsetMs);
  const window = { from: at(-CLOCK_SKEW_MS).toISOString(), until: at(WINDOW_MS + CLOCK_SKEW_MS).toISOString() };
  return [
    { kind: "operation", rows: await findOperationsOfRequest(sql, requestId, firstIdAt(at(WINDOW_MS)), limit) },
    { kind: "idempotency_key", rows: await findKeysOfRequest(sql, requestId, window, limit) },
    { kind: "request", rows: await findRequestErrors(sql, requestId, limit) },
  ];
}

/** Ids of these kinds are shown as public ones; the others are what they are. */
const ID_KINDS: Partial<Record<SearchKind, IdKind>> = {
  merchant: "merchant",
  environment: "environment",
  person: "user",
  payment: "payment",
  transaction: "transaction",
  request: "request",
  api_key: "apiKey",
  plan: "plan",
  client_session: "clientSession",
  settlement_batch: "settlementBatch",
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
    href: hrefOf(row, merchant),
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

function hrefOf(row: FoundRow, merchant: { id: string } | null): string | null {
  if (row.payment_id !== null) return `/support/payments/${encodeId("payment", row.payment_id)}`;
  return merchant && `/support/merchants/${merchant.id}${row.mode === "live" ? "?mode=live" : ""}`;
}

type Found = { readonly kind: SearchKind; readonly rows: FoundRow[] };
