import type { FoundRow } from "@/db/queries/support-search";
import { encodeId, type IdKind } from "@/lib/contract/ids";
import type { SearchHit, SearchKind } from "@/lib/contract/support/search-results";

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

export function presentHit(kind: SearchKind, row: FoundRow): SearchHit {
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
