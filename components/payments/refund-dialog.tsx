"use client";

import { useState } from "react";
import { useDashboard } from "@/lib/client/dashboard-context";
import { reasonAgainst } from "@/lib/client/payments/action-reasons";
import { amountField, fieldError, noteError, readAmount, reasonSubject } from "@/lib/client/payments/money-subject";
import { moneyText } from "@/lib/contract/format";
import type { RefundReason } from "@/lib/contract/transactions/words";
import { AmountField, MoneyDialog, RefundFacts, useMoneyDriver } from "./money-dialog";
import { ReasonFields } from "./reason-fields";

type RefundDialogProps = { paymentId: string; onClose: () => void };

/** Gives money back: all that is left, or a part of it. */
export function RefundDialog({ paymentId, onClose }: RefundDialogProps) {
  const { can } = useDashboard();
  const [driver, snapshot] = useMoneyDriver("refund", paymentId);
  const [typed, setTyped] = useState<string | null>(null);
  const [reason, setReason] = useState<RefundReason>("CUSTOMER_REQUEST");
  const [note, setNote] = useState("");
  const [tried, setTried] = useState(false);
  const { subject, state } = snapshot;
  const refusal = state.step === "refused" ? state.refusal : null;

  const text = typed ?? (subject ? amountField(subject.refundable, subject.currency) : "");
  const reading = subject ? readAmount(text, subject.currency, subject.refundable, "refunded") : null;
  const noteIsMissing = noteError(reason, note);
  const amount = reading?.amount ?? null;

  function submit() {
    setTried(true);
    if (amount === null || noteIsMissing) return;
    const comment = note.trim();
    void driver.submit({ amount, reason, ...(comment && { comment }) }, amount);
  }

  const amountError = fieldError(refusal, "amount") ?? (tried || typed !== null ? (reading?.error ?? null) : null);
  const errors = {
    amount: amountError,
    reason: fieldError(refusal, "reason"),
    note: fieldError(refusal, "comment") ?? (tried ? noteIsMissing : null),
  };
  const aboutField = Object.values(errors).some(Boolean);
  return (
    <MoneyDialog
      driver={driver}
      snapshot={snapshot}
      title="Refund payment"
      submitLabel={
        subject && amount !== null ? `Refund ${moneyText(amount, subject.currency)} to ${subject.card}` : "Refund"
      }
      impossible={subject && reasonAgainst("refund", reasonSubject(subject), can)}
      refusal={refusal && !aboutField ? refusal.detail : null}
      onSubmit={submit}
      onClose={onClose}
    >
      {subject && (
        <>
          <RefundFacts subject={subject} />
          <AmountField
            most={subject.refundable}
            currency={subject.currency}
            value={text}
            error={errors.amount}
            onChange={setTyped}
          />
          <ReasonFields
            reason={reason}
            note={note}
            reasonError={errors.reason}
            noteError={errors.note}
            onReason={setReason}
            onNote={setNote}
          />
          <p className="text-soft">A refund cannot be undone. It reaches the customer's card in 5–10 business days.</p>
        </>
      )}
    </MoneyDialog>
  );
}
