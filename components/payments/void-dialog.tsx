"use client";

import { useState } from "react";
import { Field, Input } from "@/components/ui/field";
import { useDashboard } from "@/lib/client/dashboard-context";
import { reasonAgainst } from "@/lib/client/payments/action-reasons";
import { fieldError, reasonSubject } from "@/lib/client/payments/money-subject";
import { moneyText } from "@/lib/contract/format";
import { MoneyDialog, useMoneyDriver } from "./money-dialog";

type VoidDialogProps = { paymentId: string; onClose: () => void };

/** Releases a hold before anything is captured. */
export function VoidDialog({ paymentId, onClose }: VoidDialogProps) {
  const { can } = useDashboard();
  const [driver, snapshot] = useMoneyDriver("void", paymentId);
  const [reason, setReason] = useState("");
  const { subject, state } = snapshot;
  const refusal = state.step === "refused" ? state.refusal : null;
  const error = fieldError(refusal, "reason");

  function submit() {
    const text = reason.trim();
    if (subject) void driver.submit(text ? { reason: text } : {}, subject.amount);
  }

  const held = subject && moneyText(subject.amount, subject.currency);
  return (
    <MoneyDialog
      driver={driver}
      snapshot={snapshot}
      title="Void payment"
      danger
      submitLabel={subject ? `Void ${held} on ${subject.card}` : "Void"}
      impossible={subject && reasonAgainst("void", reasonSubject(subject), can)}
      refusal={refusal && !error ? refusal.detail : null}
      onSubmit={submit}
      onClose={onClose}
    >
      {subject && (
        <>
          <p>
            The hold of {held} on {subject.card} is released, and no money is taken. This cannot be undone: to charge
            the customer, you need a new payment.
          </p>
          <Field label="Reason" optional hint="Kept with the payment." error={error}>
            {(field) => (
              <Input
                {...field}
                name="reason"
                maxLength={255}
                autoComplete="off"
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
        </>
      )}
    </MoneyDialog>
  );
}
