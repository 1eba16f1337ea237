"use client";

import { useState } from "react";
import { Facts, Money } from "@/components/ui/card";
import { Time } from "@/components/ui/time";
import { useDashboard } from "@/lib/client/dashboard-context";
import { reasonAgainst } from "@/lib/client/payments/action-reasons";
import { amountField, fieldError, readAmount, reasonSubject } from "@/lib/client/payments/money-subject";
import { moneyText } from "@/lib/contract/format";
import { AmountField, MoneyDialog, useMoneyDriver } from "./money-dialog";

type CaptureDialogProps = { paymentId: string; onClose: () => void };

/** Takes the money that is held, all of it or a part; the rest goes back to the customer. */
export function CaptureDialog({ paymentId, onClose }: CaptureDialogProps) {
  const { can } = useDashboard();
  const [driver, snapshot] = useMoneyDriver("capture", paymentId);
  const [typed, setTyped] = useState<string | null>(null);
  const [tried, setTried] = useState(false);
  const { subject, state } = snapshot;
  const refusal = state.step === "refused" ? state.refusal : null;

  const text = typed ?? (subject ? amountField(subject.capturable, subject.currency) : "");
  const reading = subject ? readAmount(text, subject.currency, subject.capturable, "captured") : null;
  const amount = reading?.amount ?? null;
  const error = fieldError(refusal, "amount") ?? (tried || typed !== null ? (reading?.error ?? null) : null);

  function submit() {
    setTried(true);
    if (amount !== null) void driver.submit({ amount }, amount);
  }

  const released = subject && amount !== null ? subject.capturable - amount : 0;
  return (
    <MoneyDialog
      driver={driver}
      snapshot={snapshot}
      title="Capture payment"
      submitLabel={
        subject && amount !== null ? `Capture ${moneyText(amount, subject.currency)} from ${subject.card}` : "Capture"
      }
      impossible={subject && reasonAgainst("capture", reasonSubject(subject), can)}
      refusal={refusal && !error ? refusal.detail : null}
      onSubmit={submit}
      onClose={onClose}
    >
      {subject && (
        <>
          <Facts
            className="rounded-md border px-3 py-1.5"
            items={[
              { term: "Held on the card", value: <Money amount={subject.amount} currency={subject.currency} /> },
              ...(subject.captureBefore
                ? [{ term: "Capture before", value: <Time at={subject.captureBefore} /> }]
                : []),
            ]}
          />
          <AmountField
            most={subject.capturable}
            currency={subject.currency}
            value={text}
            error={error}
            onChange={setTyped}
          />
          <p className="text-soft" aria-live="polite">
            {released > 0
              ? `The remaining hold of ${moneyText(released, subject.currency)} is released and cannot be captured later.`
              : "A payment is captured once. You can refund it afterwards."}
          </p>
        </>
      )}
    </MoneyDialog>
  );
}
