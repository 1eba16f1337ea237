import { emptyAbandonedAccount, findAbandonedAccounts } from "@/db/queries/abandoned-accounts";
import type { Service } from "../context";
import { recordAccountAct } from "./record-account-act";

/** After so many days without a proved address and without anybody there. */
export const ABANDONED_DAYS = 30;
const AT_ONCE = 500;
const CLOSED = "Closed account";

/**
 * Closes accounts that somebody opened, never proved an address for and left, if they own nothing: their people, with names,
 * addresses and passwords, are removed. Some at a time; answers how many.
 */
export async function closeAbandonedAccounts({ db }: Pick<Service, "db">): Promise<number> {
  const found = await findAbandonedAccounts(db.orm, ABANDONED_DAYS, AT_ONCE);
  let closed = 0;
  for (const merchantId of found) {
    const isClosed = await db.orm.transaction(async (tx) => {
      if (!(await emptyAbandonedAccount(tx, merchantId, ABANDONED_DAYS, CLOSED))) return false;
      const by = { merchantId, actor: { type: "system", id: null }, requestId: null } as const;
      await recordAccountAct(tx, by, "settings.account_closed", merchantId);
      return true;
    });
    if (isClosed) closed++;
  }
  return closed;
}
