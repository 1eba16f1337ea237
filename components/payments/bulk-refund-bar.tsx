"use client";

import { Undo2 } from "lucide-react";
import { Button } from "@/components/ui/button";
import { useDashboard } from "@/lib/client/dashboard-context";
import { reasonAgainst, subjectOfTransaction } from "@/lib/client/payments/action-reasons";
import { totalsOf } from "@/lib/client/payments/bulk-record";
import { openMoneyDialog } from "@/lib/client/payments/money-dialog";
import { moneyText } from "@/lib/contract/format";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";

type BulkRefundBarProps = {
  selection: readonly ListedTransaction[];
  /** Called once the selection has been refunded. */
  onDone: () => void;
  /** Scope of the selection. */
  note?: string;
};

/** Bar that stays visible while rows are selected: their count, their sum and the actions. */
export function BulkRefundBar({ selection, onDone, note }: BulkRefundBarProps) {
  const { can } = useDashboard();
  if (selection.length === 0) return null;
  const refundable = selection.filter((row) => reasonAgainst("refund", subjectOfTransaction(row), can) === null);
  const totals = totalsOf(refundable.map((row) => ({ amount: row.amount_refundable, currency: row.currency })));
  return (
    <section
      aria-label="Selection"
      className="floating sticky bottom-3 z-10 short:static mx-auto flex w-fit max-w-full flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2 text-[13px]"
    >
      <p aria-live="polite">
        <span className="font-medium">{selection.length} selected</span>
        <span className="text-soft">
          {refundable.length === 0
            ? " · none can be refunded"
            : ` · ${totals.map(([currency, amount]) => moneyText(amount, currency)).join(" + ")} refundable`}
        </span>
        {note && <span className="block text-soft text-xs">{note}</span>}
      </p>
      <div className="flex gap-2">
        <Button size="sm" variant="ghost" onClick={onDone}>
          Clear
        </Button>
        <Button
          size="sm"
          variant={refundable.length === 0 ? "secondary" : "primary"}
          icon={<Undo2 aria-hidden="true" />}
          onClick={() => openMoneyDialog({ kind: "bulk", selection, onDone })}
        >
          {refundable.length === 0 ? "Why not refund?" : `Refund ${refundable.length}…`}
        </Button>
      </div>
    </section>
  );
}
