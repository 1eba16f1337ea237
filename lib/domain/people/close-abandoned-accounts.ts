import {
  type AbandonedAfter,
  emptyAbandonedAccount,
  findAbandonedAccounts,
  findEnvironmentsToEmpty,
  removeAbandonedRows,
} from "@/db/queries/abandoned-accounts";
import type { Service } from "../context";
import { recordAccountAct } from "./record-account-act";

/** Without a proved address, anything owned or anybody there. */
const ABANDONED_DAYS = 30;
const AT_ONCE = 500;
const CALLED = { name: "Closed account", reason: "Nobody proved an e-mail address." };

/** Of one environment in one commit: some tens of milliseconds, in which nothing else waits for it. */
const ROWS_AT_ONCE = 2_000;
const ENVIRONMENTS_AT_ONCE = 10;

/**
 * Closes accounts for which nobody ever proved an address: what somebody opened and left after 30 days, and what has test data
 * and nothing else `daysWithData` after it was opened (0: never). Their people, with names, addresses and passwords, are
 * removed. Some at a time; answers how many.
 */
export async function closeAbandonedAccounts({ db }: Pick<Service, "db">, daysWithData: number): Promise<number> {
  const after: AbandonedAfter = { days: ABANDONED_DAYS, daysWithData: daysWithData === 0 ? null : daysWithData };
  const found = await findAbandonedAccounts(db.orm, after, AT_ONCE);
  let closed = 0;
  let failure: unknown = null;
  for (const merchantId of found) {
    try {
      const isClosed = await db.orm.transaction(async (tx) => {
        if (!(await emptyAbandonedAccount(tx, merchantId, after, CALLED))) return false;
        const by = { merchantId, actor: { type: "system", id: null }, requestId: null } as const;
        await recordAccountAct(tx, by, "settings.account_closed", merchantId);
        return true;
      });
      if (isClosed) closed++;
    } catch (error) {
      // One that the database refuses to close does not keep the others open; the job tells of it at the end.
      failure ??= error;
    }
  }
  if (failure !== null) throw failure;
  return closed;
}

/** Removes test data of closed accounts, a piece of each environment at a time; answers how many rows. The audit log stays. */
export async function removeAbandonedData({ db }: Pick<Service, "db">): Promise<number> {
  let removed = 0;
  for (const id of await findEnvironmentsToEmpty(db.sql, ENVIRONMENTS_AT_ONCE)) {
    removed += await removeAbandonedRows(db.sql, id, ROWS_AT_ONCE);
  }
  return removed;
}
