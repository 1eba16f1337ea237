"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { KeyedDialog } from "@/components/payments/keyed-dialog";
import { RadioCards } from "@/components/ui/choices";
import { Field, Textarea } from "@/components/ui/field";
import { toast } from "@/components/ui/toast";
import { useKeyedAction } from "@/lib/client/payments/keyed-action";
import { keyedRequest } from "@/lib/client/payments/keyed-request";
import { useTimeZone } from "@/lib/client/time-display";
import { dateText, moneyText } from "@/lib/contract/format";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { planText, subscriberText } from "./status";
import type { SubscriptionDialogProps } from "./subscription-actions";

/** Ends a subscription with its period, or now with or without a refund. */
export function CancelDialog({ detail: { subscription, refundable, unpaid }, onClose }: SubscriptionDialogProps) {
  const router = useRouter();
  const zone = useTimeZone();
  const { id, status, period, currency, cancel_at_period_end: ends } = subscription;
  const canWait = !ends && status !== "PAUSED" && period !== null;
  const [when, setWhen] = useState<"period_end" | "now">(canWait ? "period_end" : "now");
  const [refund, setRefund] = useState<"none" | "prorated">("none");
  const [reason, setReason] = useState("");
  const end = period ? dateText(new Date(period.end_at), zone) : "";
  const amount = moneyText(refundable, currency);
  const isNow = when === "now";

  const action = useKeyedAction<Subscription>({
    subject: `cancel ${id}`,
    title: `Cancel ${planText(subscription)}`,
    request: () =>
      isNow
        ? keyedRequest("POST /v1/subscriptions/{id}/cancel", {
            params: { id },
            body: { refund, ...(reason.trim() !== "" && { reason: reason.trim() }) },
          })
        : keyedRequest("PATCH /v1/subscriptions/{id}", { params: { id }, body: { cancel_at_period_end: true } }),
    onChange: () => router.refresh(),
    onDone: () => {
      toast.success(isNow ? "Subscription cancelled" : `The subscription ends on ${end}`);
      onClose();
    },
  });

  return (
    <KeyedDialog
      action={action}
      description={`Subscription of ${subscriberText(subscription)}`}
      submitLabel={
        isNow ? (refund === "prorated" ? `Cancel now and refund ${amount}` : "Cancel now") : `Cancel on ${end}`
      }
      cancelLabel="Keep subscription"
      danger
      onClose={onClose}
    >
      {canWait && (
        <RadioCards
          legend="When"
          value={when}
          onChange={setWhen}
          options={[
            {
              value: "period_end",
              label: `At the end of the ${period?.number === 0 ? "trial" : "period"}, on ${end}`,
              description: "Nothing more is charged. You can undo this until then.",
            },
            { value: "now", label: "Now", description: "It ends right away. This cannot be undone." },
          ]}
        />
      )}
      {isNow && (
        <>
          {refundable > 0 && (
            <RadioCards
              legend="Refund"
              value={refund}
              onChange={setRefund}
              options={[
                { value: "none", label: "No refund" },
                {
                  value: "prorated",
                  label: `Refund ${amount}`,
                  description: `The unused part of what was paid until ${end}, as of now. It reaches the customer in 5–10 business days.`,
                },
              ]}
            />
          )}
          {unpaid && (
            <p className="text-soft">
              The unpaid {moneyText(unpaid.invoice.amount_due, currency)} becomes void and is no longer charged.
            </p>
          )}
          <Field label="Reason" optional hint="For your own records.">
            {(field) => (
              <Textarea
                {...field}
                rows={2}
                maxLength={500}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
        </>
      )}
    </KeyedDialog>
  );
}
