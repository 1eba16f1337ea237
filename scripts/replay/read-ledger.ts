import { connect, type Database } from "@/db/client";
import { openDatabase, requireDatabase } from "@/db/open-database";
import {
  listChargesPerReplayKey,
  listEnvironmentsOfPayments,
  listLedgerOfPayments,
} from "@/db/queries/reconciliation/replay";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { ConfigurationError } from "@/lib/env";
import { firstIdAt } from "@/lib/ids";
import type { LedgerBook } from "./reconcile";

/** Lifetime of an idempotency key, within which an order may be charged only once. */
const KEY_LIFE_MS = 24 * 3_600_000;

/**
 * Ledger entries of these payments, from the service's database. Throws ConfigurationError if it is
 * unreachable.
 */
export async function readLedger(paymentIds: readonly string[], keys: readonly string[]): Promise<LedgerBook> {
  requireDatabase();
  const opened = await openDatabase();
  const db = connect(opened.url, { max: 2, applicationName: "cardlane-replay" });
  try {
    return await readBook(db, paymentIds, keys);
  } finally {
    await db.close();
    await opened.close();
  }
}

async function readBook(db: Database, paymentIds: readonly string[], keys: readonly string[]): Promise<LedgerBook> {
  const uuids = paymentIds.flatMap((id) => decodeId("payment", id) ?? []);
  const environments = await listEnvironmentsOfPayments(db, uuids);
  if (uuids.length > 0 && environments.length !== 1) {
    throw new ConfigurationError(
      environments.length === 0
        ? "The database has none of these payments: set DATA_DIR or DATABASE_URL to the same value as the service at --url."
        : `The payments of one API key are in ${environments.length} environments.`,
    );
  }
  const book: LedgerBook = { byPayment: new Map(), chargesPerKey: new Map() };
  for (const environmentId of environments) {
    for (const { payment_id, ...money } of await listLedgerOfPayments(db, environmentId, uuids)) {
      book.byPayment.set(encodeId("payment", payment_id), money);
    }
    const fromId = firstIdAt(new Date(Date.now() - KEY_LIFE_MS));
    for (const row of await listChargesPerReplayKey(db, environmentId, { fromId, keys: [...keys] })) {
      book.chargesPerKey.set(row.replay_key, row.count);
    }
  }
  return book;
}
