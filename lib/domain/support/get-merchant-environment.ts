import { type ApiKeyRow, listApiKeys } from "@/db/queries/api-keys";
import { countPlans } from "@/db/queries/support-merchants";
import { sumVolume, type VolumeRow } from "@/db/queries/support-volume";
import { findListedTransactions } from "@/db/queries/transactions";
import { encodeId } from "@/lib/contract/ids";
import {
  type CurrencyVolume,
  ERRORS_SHOWN,
  KEYS_SHOWN,
  type MerchantEnvironment,
  type MerchantError,
  type MerchantKey,
  type MerchantTransaction,
  TRANSACTIONS_SHOWN,
} from "@/lib/contract/support/merchant-view";
import type { Mode } from "@/lib/contract/transactions/words";
import { listRecentErrors } from "../request-errors/list-recent-errors";
import type { StaffCall } from "./staff-call";

type Asked = { id: string; mode: Mode; fee_basis_points: number; merchantId: string; timeZone: string };

/** What staff see of an environment. Says nothing of it in the audit log: its callers do. */
export async function getMerchantEnvironment(call: StaffCall, asked: Asked): Promise<MerchantEnvironment> {
  const { service } = call;
  const { sql, orm } = service.db;
  const [volume, plans, keys, errors, transactions] = await Promise.all([
    sumVolume(sql, asked.id, asked.timeZone),
    countPlans(orm, asked.id),
    listApiKeys(orm, asked.id, KEYS_SHOWN),
    listRecentErrors(service, asked.id, ERRORS_SHOWN),
    findListedTransactions(
      sql,
      asked.id,
      {},
      { sort: "created_at", order: "desc", limit: TRANSACTIONS_SHOWN, offset: 0 },
      null,
    ),
  ]);
  const now = service.clock.now().toISOString();
  return {
    id: encodeId("environment", asked.id),
    mode: asked.mode,
    feeBasisPoints: asked.fee_basis_points,
    volume: volumeOf(volume),
    plans,
    keys: keys.map((key) => presentKey(key, now)),
    errors: errors.map(presentError),
    transactions: transactions.rows.map(presentRow),
  };
}

function volumeOf(rows: VolumeRow[]): CurrencyVolume[] {
  const currencies = [...new Set(rows.map((row) => row.currency))];
  return currencies.map((currency) => {
    const of = (measure: VolumeRow["measure"]) =>
      rows.find((row) => row.currency === currency && row.measure === measure);
    return {
      currency,
      captured: of("captured")?.amount ?? 0,
      refunded: (of("refunded")?.amount ?? 0) - (of("refund_failed")?.amount ?? 0),
      fees: of("fee")?.amount ?? 0,
      recentCaptured: of("captured")?.recent_amount ?? 0,
      recentRefunded: (of("refunded")?.recent_amount ?? 0) - (of("refund_failed")?.recent_amount ?? 0),
      recentApproved: of("approved")?.recent_count ?? 0,
      recentDeclined: of("declined")?.recent_count ?? 0,
    };
  });
}

function presentKey(key: ApiKeyRow, now: string): MerchantKey {
  const expired = key.status === "ACTIVE" && key.expires_at !== null && key.expires_at <= now;
  return {
    id: encodeId("apiKey", key.id),
    name: key.name,
    shown: `${key.prefix}…${key.last4}`,
    status: expired ? "EXPIRED" : key.status,
    permissions: key.permissions,
    expiresAt: key.expires_at,
    lastUsedAt: key.last_used_at,
    createdAt: key.created_at,
  };
}

function presentError(error: Awaited<ReturnType<typeof listRecentErrors>>[number]): MerchantError {
  const { requestId, method, path, status, code, detail, at } = error;
  return { requestId, method, path, status, code, detail, at };
}

function presentRow(row: Awaited<ReturnType<typeof findListedTransactions>>["rows"][number]): MerchantTransaction {
  return {
    id: encodeId("transaction", row.id),
    paymentId: encodeId("payment", row.payment_id),
    type: row.type,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    cardBrand: row.card_brand,
    cardLast4: row.card_last4,
    customerEmail: row.customer_email,
    createdAt: row.created_at,
  };
}
