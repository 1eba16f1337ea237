"use client";

import { useRouter } from "next/navigation";
import { InvoiceLines } from "@/components/invoices/invoice-lines";
import { KeyedDialog } from "@/components/payments/keyed-dialog";
import { toast } from "@/components/ui/toast";
import { useKeyedAction } from "@/lib/client/payments/keyed-action";
import { keyedRequest } from "@/lib/client/payments/keyed-request";
import { useTimeZone } from "@/lib/client/time-display";
import { cardText, dateText, moneyText } from "@/lib/contract/format";
import { everyText } from "@/lib/contract/plans/schedule";
import type { SubscriptionDetail } from "@/lib/contract/subscriptions/detail";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { planText } from "./status";
import type { SubscriptionDialogProps } from "./subscription-actions";

/** `Visa •••• 4242` */
export const cardOf = ({ card }: SubscriptionDetail): string =>
  card?.card ? cardText(card.card.brand, card.card.last4) : "the card on file";

/** Begins a new period of a paused subscription. */
export function ResumeDialog({ detail, onClose }: SubscriptionDialogProps) {
  const router = useRouter();
  const zone = useTimeZone();
  const { subscription, resume_invoice: invoice, pending_plan } = detail;
  const { id, currency } = subscription;
  const due = invoice?.amount_due ?? 0;
  const action = useKeyedAction<Subscription>({
    subject: `resume ${id}`,
    title: `Resume ${planText(subscription)}`,
    request: () => keyedRequest("POST /v1/subscriptions/{id}/resume", { params: { id } }),
    onChange: () => router.refresh(),
    onDone: () => {
      toast.success("Subscription resumed");
      onClose();
    },
  });
  const { interval } = pending_plan ?? subscription.plan;
  return (
    <KeyedDialog
      action={action}
      submitLabel={due > 0 ? `Resume and charge ${moneyText(due, currency)}` : "Resume"}
      onClose={onClose}
    >
      <p>
        A new period begins now{due > 0 ? ` and is charged to ${cardOf(detail)}` : ", and nothing is charged"}. From
        then on it is charged {everyText(interval)}
        {invoice && `, next on ${dateText(new Date(invoice.period.end_at), zone)}`}.
      </p>
      {invoice && (
        <div className="rounded-lg border">
          <InvoiceLines invoice={invoice} />
        </div>
      )}
    </KeyedDialog>
  );
}

/** Charges the oldest unpaid invoice now. */
export function RetryDialog({ detail, onClose }: SubscriptionDialogProps) {
  const router = useRouter();
  const { subscription, unpaid } = detail;
  const { id, currency } = subscription;
  const action = useKeyedAction<Subscription>({
    subject: `retry ${id}`,
    title: `Charge ${unpaid?.invoice.number ?? "the unpaid invoice"}`,
    request: () => keyedRequest("POST /v1/subscriptions/{id}/retry", { params: { id } }),
    onChange: () => router.refresh(),
    onDone: () => {
      toast.success("Invoice paid");
      onClose();
    },
  });
  const amount = moneyText(unpaid?.invoice.amount_due ?? 0, currency);
  return (
    <KeyedDialog
      action={action}
      submitLabel={`Charge ${amount} to ${cardOf(detail)}`}
      disabled={unpaid === null}
      onClose={onClose}
    >
      <p>
        Charges the subscription’s card now.{" "}
        {unpaid?.invoice.next_attempt_at
          ? "If it is declined, the planned attempts stay as they are."
          : "If it is declined, the invoice stays unpaid, and no further attempt is planned."}
      </p>
    </KeyedDialog>
  );
}
