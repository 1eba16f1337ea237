"use client";

import { Undo2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { missingPart } from "@/components/ui/missing-part";
import { reasonAgainst, subjectOfPayment } from "@/lib/client/payments/action-reasons";
import { moneyRecords, type StaffMoney, staffAccess } from "@/lib/client/payments/money-ports";
import type { ShownPayment } from "@/lib/contract/payments/payment-detail";

const StaffRefundDialog = dynamic(() =>
  import("@/components/payments/action-dialogs").then((module) => module.StaffRefundDialog, missingPart),
);

type StaffRefundProps = { payment: ShownPayment; money: StaffMoney };

/** Refund on the merchant's behalf, or the reason against it. */
export function StaffRefund({ payment, money }: StaffRefundProps) {
  const [open, setOpen] = useState(false);
  useReopen(money, () => setOpen(true));
  const against = reasonAgainst("refund", subjectOfPayment(payment), () => true);
  return (
    <div className="flex min-w-0 flex-col items-end gap-1 max-sm:items-start">
      <Button
        icon={<Undo2 aria-hidden="true" />}
        disabled={against !== null}
        aria-describedby={against ? "no-refund" : undefined}
        onClick={() => setOpen(true)}
      >
        Refund for the merchant
      </Button>
      {against && (
        <p id="no-refund" className="max-w-80 text-right text-soft text-xs max-sm:text-left">
          {against}
        </p>
      )}
      {open && <StaffRefundDialog money={money} onClose={() => setOpen(false)} />}
    </div>
  );
}

/** Reopens the dialog after a reload during a refund. */
function useReopen(money: StaffMoney, reopen: () => void): void {
  const looked = useRef(false);
  useEffect(() => {
    if (looked.current) return;
    looked.current = true;
    if (moneyRecords(staffAccess(money)).find(money.paymentId, "refund") !== null) reopen();
  }, [money, reopen]);
}
