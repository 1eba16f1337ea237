import type { Sql } from "@/db/client";
import {
  type FoundRow,
  findApiKeys,
  findClientSessions,
  findEvents,
  findIdempotencyKeys,
  findOperations,
  findPlans,
  findSettlementBatches,
} from "@/db/queries/support-search";
import { findEnvironments, findMerchants, findMerchantsByName, findPeople } from "@/db/queries/support-search-owners";
import { findPayments, findTransactions } from "@/db/queries/support-search-payments";
import { encodeId } from "@/lib/contract/ids";
import { SEARCH_GROUPS, SEARCH_LIMIT, type SearchAnswer, type SearchKind } from "@/lib/contract/support/search-results";
import { findTracesOfRequest } from "./find-traces-of-request";
import type { Found } from "./found";
import { presentHit } from "./present-hit";
import { readSearch, type SearchTerm } from "./read-search";
import { recordStaffAct } from "./record-staff-act";
import type { StaffCall } from "./staff-call";

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
