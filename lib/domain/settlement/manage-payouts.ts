import { findBankAccount, findPayout, lockAvailableBatches, storeBankAccount } from "@/db/queries/settlement/payouts";
import { insertSettlementAudit } from "@/db/queries/settlement/settle";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import {
  compactAccountNumber,
  type Payout,
  TEST_BANK_ACCOUNT,
  type UpdateBankAccountBody,
} from "@/lib/contract/settlement/payout";
import { newId } from "@/lib/ids";
import { type Context, resourceNotFound } from "../context";
import { makePayout, sumOf } from "./payouts";
import { presentPayout } from "./read-payouts";

/** What owners do with payouts: where they go, and once more after one failed. */

type BankAccount = { holder: string; bank_name: string; country: string; last4: string };

/** Where payouts go; in the sandbox a test account until the merchant names one, in live mode null. */
export async function getBankAccount(ctx: Context): Promise<BankAccount | null> {
  const row = await findBankAccount(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id);
  if (row === null) return ctx.environment.mode === "test" ? TEST_BANK_ACCOUNT : null;
  const { holder, bank_name, country, last4 } = row;
  return { holder, bank_name, country, last4 };
}

/** Payouts that are made from now on go there; those on their way stay on it. Only the end of its number is kept. */
export async function updateBankAccount(ctx: Context, input: UpdateBankAccountBody): Promise<BankAccount> {
  const { holder, bank_name, country } = input;
  const account = { holder, bank_name, country, last4: compactAccountNumber(input.account_number).slice(-4) };
  const { id } = ctx.environment;
  await ctx.service.db.sql.begin(async (tx) => {
    await storeBankAccount(tx, id, account);
    await record(ctx, tx, "settings.bank_account_updated", id);
  });
  return account;
}

/**
 * Pays out what a failed payout returned, with whatever else is available in its currency. Throws `invalid_state` when it did
 * not fail, when its money is in another payout by now, and when refunds took more than there is.
 */
export async function retryPayout(ctx: Context, input: { id: string }): Promise<Payout> {
  const environmentId = ctx.environment.id;
  const id = decodeId("payout", input.id);
  return await ctx.service.db.sql.begin(async (tx) => {
    const failed = id === null ? null : await findPayout(tx, environmentId, id);
    if (failed === null) throw resourceNotFound("payout", input.id);
    const refuse = (detail: string) =>
      new AppError("invalid_state", detail, { extra: { current_status: failed.status, allowed_actions: [] } });
    if (failed.status !== "FAILED") throw refuse("Only a payout that failed can be retried.");
    const batches = await lockAvailableBatches(tx, environmentId, failed.currency);
    const available = new Set(batches.map((batch) => batch.id));
    if (!failed.settlement_batch_ids.every((batchId) => available.has(batchId))) {
      throw refuse("The money of this payout is in a later payout already. Look at your latest payouts.");
    }
    if (sumOf(batches) <= 0) {
      throw refuse(
        `Refunds took what was available in ${failed.currency}. The next settlement makes a payout when there is more.`,
      );
    }
    const payout = await makePayout(tx, environmentId, { currency: failed.currency, batches });
    await record(ctx, tx, "settings.payout_retried", payout.id);
    return presentPayout(payout, ctx.environment.mode);
  });
}

type Transaction = Parameters<typeof insertSettlementAudit>[0];

const record = ({ actor, environment, request }: Context, tx: Transaction, action: string, objectId: string) =>
  insertSettlementAudit(tx, environment.id, { id: newId(), actor, action, objectId, requestId: request.id });
