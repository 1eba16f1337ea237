import type { Orm } from "@/db/client";
import {
  DISPUTE_LINES,
  type DisputePosition,
  insertDisputeMovement,
  readDisputePositions,
} from "@/db/queries/settlement/dispute-movements";
import type { DisputeRow } from "@/db/schema/disputes";
import { moneyText } from "@/lib/contract/format";
import { DISPUTE_STATUS_WORDS } from "@/lib/contract/payments/words";
import { idAt } from "@/lib/ids";

type Booked = Pick<DisputeRow, "id" | "payment_id" | "amount" | "currency" | "fee" | "status" | "withdrawn">;

const NOTHING = { amountTaken: 0, feeTaken: 0, amountGone: 0, feeGone: 0 };

/**
 * Where a dispute's money is by its status: the bank takes amount and fee when it opens, gives the amount back
 * if it is won, and never the fee. An inquiry takes nothing.
 */
function disputePosition({ amount, currency, fee: known, status, withdrawn }: Booked): DisputePosition {
  if (!withdrawn) return { currency, ...NOTHING };
  const fee = known ?? 0;
  switch (status) {
    case "NEEDS_RESPONSE":
    case "UNDER_REVIEW":
      return { currency, amountTaken: amount, feeTaken: fee, amountGone: 0, feeGone: 0 };
    case "WON":
      return { currency, amountTaken: 0, feeTaken: fee, amountGone: 0, feeGone: fee };
    case "LOST":
    case "ACCEPTED":
      return { currency, amountTaken: amount, feeTaken: fee, amountGone: amount, feeGone: fee };
    default:
      return status satisfies never;
  }
}

/** A dispute's status in a sentence, with where its money is, as booked. */
export function disputeMeaning(dispute: Booked): string {
  const { status, withdrawn, currency } = dispute;
  const { meaning } = DISPUTE_STATUS_WORDS[status];
  const { feeGone } = disputePosition(dispute);
  const fee = feeGone > 0 ? `the processor’s fee of ${moneyText(feeGone, currency)}` : null;
  switch (status) {
    case "NEEDS_RESPONSE":
    case "UNDER_REVIEW":
      return meaning;
    case "WON":
      if (!withdrawn) return "The bank ended its inquiry and took no money.";
      return `${meaning} The amount is returned to you${fee ? `; ${fee} is not` : ""}.`;
    case "LOST":
    case "ACCEPTED":
      return `${meaning} ${fee ? `The amount and ${fee} are lost.` : "The amount is lost."}`;
    default:
      return status satisfies never;
  }
}

/**
 * Books the difference between a dispute's position and its ledger lines, so that repeated reports book
 * nothing, and corrected ones the correction. Call it in the transaction that holds the dispute's row.
 */
export async function bookDispute(tx: Orm, environmentId: string, dispute: Booked, at: Date): Promise<void> {
  const booked = await readDisputePositions(tx, environmentId, dispute.id);
  const target = disputePosition(dispute);
  const others = booked.filter(({ currency }) => currency !== target.currency).map(({ currency }) => currency);
  for (const currency of [...others, target.currency]) {
    const wanted = currency === target.currency ? target : NOTHING;
    const is = booked.find((position) => position.currency === currency) ?? NOTHING;
    const change = (part: keyof typeof NOTHING) => wanted[part] - is[part];
    const lines = DISPUTE_LINES.flatMap(({ line, part, debit, credit }) => {
      const amount = change(part);
      if (amount === 0) return [];
      const [debit_account, credit_account] = amount > 0 ? [debit, credit] : [credit, debit];
      return [{ line, debit_account, credit_account, amount: Math.abs(amount) }];
    });
    if (lines.length === 0) continue;
    await insertDisputeMovement(tx, environmentId, {
      id: idAt(at),
      dispute_id: dispute.id,
      payment_id: dispute.payment_id,
      currency,
      // Zero, and not the -0 of a negated zero.
      amount: 0 - change("amountTaken"),
      fee: 0 - change("feeTaken"),
      created_at: at.toISOString(),
      lines,
    });
  }
}
