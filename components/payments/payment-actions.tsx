"use client";

import { Ellipsis, Receipt, Send } from "lucide-react";
import { useState } from "react";
import { useSingleKeys } from "@/components/shell/single-keys";
import { Button } from "@/components/ui/button";
import { Menu, MenuContent, MenuItem, MenuTrigger } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import { useDashboard } from "@/lib/client/dashboard-context";
import { reasonAgainst, subjectOfPayment } from "@/lib/client/payments/action-reasons";
import { openMoneyDialog } from "@/lib/client/payments/money-dialog";
import type { ShownPayment } from "@/lib/contract/payments/payment-detail";
import { ACTIONS, type Action } from "@/lib/contract/transactions/words";
import { ACTION_LOOKS } from "./action-looks";
import { SendReceiptDialog } from "./receipt-dialog";

/** Buttons for the possible actions, and a menu with the receipt and with the reasons against the others. */
export function PaymentActions({ payment, size = "md" }: { payment: ShownPayment; size?: "sm" | "md" }) {
  const { can } = useDashboard();
  const subject = subjectOfPayment(payment);
  const actions = ACTIONS.map((action) => ({ action, reason: reasonAgainst(action, subject, can) }));
  const impossible = actions.filter((entry): entry is { action: Action; reason: string } => entry.reason !== null);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {actions
        .filter(({ reason }) => reason === null)
        .map(({ action }) => {
          const { label, icon: Icon } = ACTION_LOOKS[action];
          return (
            <Button
              key={action}
              size={size}
              variant={action === "capture" ? "primary" : "secondary"}
              icon={<Icon aria-hidden="true" />}
              onClick={() => openMoneyDialog({ kind: "action", action, paymentId: payment.id })}
            >
              {label}
            </Button>
          );
        })}
      <MoreActions payment={payment} impossible={impossible} size={size} />
    </div>
  );
}

/** `r` refunds the shown payment, or explains why it can't be refunded. */
export function useRefundKey(payment: ShownPayment | undefined): void {
  const { can } = useDashboard();
  useSingleKeys((key) => {
    if (key !== "r" || payment === undefined) return false;
    const reason = reasonAgainst("refund", subjectOfPayment(payment), can);
    if (reason === null) openMoneyDialog({ kind: "action", action: "refund", paymentId: payment.id });
    else toast.error(reason);
    return true;
  });
}

type MoreActionsProps = {
  payment: ShownPayment;
  impossible: { action: Action; reason: string }[];
  size: "sm" | "md";
};

function MoreActions({ payment, impossible, size }: MoreActionsProps) {
  const { mode, can } = useDashboard();
  const [sending, setSending] = useState(false);
  const hasReceipt = payment.amount_captured > 0;
  return (
    <>
      <Menu>
        <MenuTrigger asChild>
          <Button size={size} variant="ghost" aria-label="More actions" icon={<Ellipsis aria-hidden="true" />} />
        </MenuTrigger>
        <MenuContent label="More actions" align="end" className="w-72">
          {hasReceipt && (
            <MenuItem
              icon={<Receipt aria-hidden="true" />}
              onSelect={() => window.open(`/${mode}/payments/${payment.id}/receipt`, "_blank", "noopener")}
            >
              View receipt
            </MenuItem>
          )}
          {hasReceipt && can("transaction.refund") && (
            <MenuItem icon={<Send aria-hidden="true" />} onSelect={() => setSending(true)}>
              Send receipt
            </MenuItem>
          )}
          {/* The refund first: its reason is what users look for. */}
          {impossible
            .toSorted((a, b) => Number(b.action === "refund") - Number(a.action === "refund"))
            .map(({ action, reason }) => {
              const { label, icon: Icon } = ACTION_LOOKS[action];
              return (
                <MenuItem key={action} disabled icon={<Icon aria-hidden="true" />} description={reason}>
                  {label}
                </MenuItem>
              );
            })}
        </MenuContent>
      </Menu>
      {sending && <SendReceiptDialog payment={payment} onClose={() => setSending(false)} />}
    </>
  );
}
