"use client";

import { Ban, CircleHelp, Download, Undo2 } from "lucide-react";
import { useSingleKeys } from "@/components/shell/single-keys";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/floating";
import { toast } from "@/components/ui/toast";
import { useDashboard } from "@/lib/client/dashboard-context";
import { reasonAgainst, subjectOfPayment } from "@/lib/client/payments/action-reasons";
import { openMoneyDialog } from "@/lib/client/payments/money-record";
import type { ShownPayment } from "@/lib/contract/payments/payment-detail";
import { ACTIONS, type Action } from "@/lib/contract/transactions/words";

export const ACTION_LOOKS = {
  capture: { label: "Capture", icon: Download },
  void: { label: "Void", icon: Ban },
  refund: { label: "Refund", icon: Undo2 },
} as const;

/** Buttons for the possible actions, and the reasons against the others. */
export function PaymentActions({ payment, size = "md" }: { payment: ShownPayment; size?: "sm" | "md" }) {
  const { can } = useDashboard();
  const subject = subjectOfPayment(payment);
  const actions = ACTIONS.map((action) => ({ action, reason: reasonAgainst(action, subject, can) }));
  const possible = actions.filter(({ reason }) => reason === null);
  const impossible = actions.filter((entry): entry is { action: Action; reason: string } => entry.reason !== null);
  // If a refund is possible, the user doesn't need to know why a capture isn't.
  const isAsked = impossible.some(({ action }) => action === "refund");
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isAsked && <Impossible actions={impossible} size={size} some={possible.length > 0} />}
      {possible.map(({ action }, index) => {
        const { label, icon: Icon } = ACTION_LOOKS[action];
        return (
          <Button
            key={action}
            size={size}
            variant={index === 0 ? "primary" : "secondary"}
            icon={<Icon aria-hidden="true" />}
            onClick={() => openMoneyDialog({ kind: "action", action, paymentId: payment.id })}
          >
            {label}
          </Button>
        );
      })}
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

/** "capture or void" */
const listed = (actions: readonly Action[]) => actions.join(" or ");

type ImpossibleProps = { actions: { action: Action; reason: string }[]; size: "sm" | "md"; some: boolean };

function Impossible({ actions, size, some }: ImpossibleProps) {
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button size={size} variant="ghost" className="max-sm:order-1" icon={<CircleHelp aria-hidden="true" />}>
          {some ? `Why not ${listed(actions.map(({ action }) => action))}?` : "Why can't I refund?"}
        </Button>
      </PopoverTrigger>
      <PopoverContent label="Actions not available now" align="end" className="w-80">
        <dl className="flex flex-col gap-2">
          {/* The refund first: its reason is what users look for. */}
          {actions
            .toSorted((a, b) => Number(b.action === "refund") - Number(a.action === "refund"))
            .map(({ action, reason }) => (
              <div key={action}>
                <dt className="font-medium">{ACTION_LOOKS[action].label}</dt>
                <dd className="text-soft">{reason}</dd>
              </div>
            ))}
        </dl>
      </PopoverContent>
    </Popover>
  );
}
