"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState, useSyncExternalStore } from "react";
import { AmountField, MoneyDialog, RefundFacts } from "@/components/payments/money-dialog";
import { ReasonSelect } from "@/components/payments/reason-fields";
import { Field, Textarea } from "@/components/ui/field";
import { reasonAgainst } from "@/lib/client/payments/action-reasons";
import { MoneyDriver, type MoneySnapshot } from "@/lib/client/payments/money-action";
import { amountField, fieldError, readAmount, reasonSubject } from "@/lib/client/payments/money-subject";
import { keepStaffReason, type StaffMoney, staffMoneyPorts } from "@/lib/client/support/staff-money-ports";
import { moneyText } from "@/lib/contract/format";
import type { RefundReason } from "@/lib/contract/transactions/words";

const always = () => true;
const WHY_MISSING = "Say why you refund for the merchant.";

/** The merchants' own refund, with one thing more: why support does it, which is kept and which the merchant sees. */
export function StaffRefundDialog({ money, onClose }: { money: StaffMoney; onClose: () => void }) {
  const [driver, snapshot] = useStaffDriver(money);
  const [typed, setTyped] = useState<string | null>(null);
  const [reason, setReason] = useState<RefundReason>("CUSTOMER_REQUEST");
  const [why, setWhy] = useState("");
  const [tried, setTried] = useState(false);
  const { subject, state } = snapshot;
  const refusal = state.step === "refused" ? state.refusal : null;

  const text = typed ?? (subject ? amountField(subject.refundable, subject.currency) : "");
  const reading = subject ? readAmount(text, subject.currency, subject.refundable, "refunded") : null;
  const amount = reading?.amount ?? null;
  const whyMissing = why.trim() === "" ? WHY_MISSING : null;

  function submit() {
    setTried(true);
    if (amount === null || whyMissing) return;
    keepStaffReason(money.paymentId, why.trim());
    void driver.submit({ amount, reason, comment: why.trim() }, amount);
  }

  const errors = {
    amount: fieldError(refusal, "amount") ?? (tried || typed !== null ? (reading?.error ?? null) : null),
    reason: fieldError(refusal, "reason"),
    why: fieldError(refusal, "X-Cardlane-Reason") ?? fieldError(refusal, "comment") ?? (tried ? whyMissing : null),
  };
  const aboutField = Object.values(errors).some(Boolean);
  return (
    <MoneyDialog
      driver={driver}
      snapshot={snapshot}
      title="Refund for the merchant"
      submitLabel={
        subject && amount !== null ? `Refund ${moneyText(amount, subject.currency)} to ${subject.card}` : "Refund"
      }
      impossible={subject && reasonAgainst("refund", reasonSubject(subject), always)}
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
          <ReasonSelect label="Kind of refund" reason={reason} error={errors.reason} onReason={setReason} />
          <Field
            label="Why you do it for the merchant"
            hint="It is kept with your name, and the merchant sees it with the refund."
            error={errors.why}
          >
            {(field) => (
              <Textarea
                {...field}
                name="why"
                rows={2}
                maxLength={500}
                required
                value={why}
                onChange={(event) => setWhy(event.target.value)}
              />
            )}
          </Field>
          <p className="text-soft">A refund cannot be undone. It reaches the customer's card in 5–10 business days.</p>
        </>
      )}
    </MoneyDialog>
  );
}

/** A driver for as long as the dialog is open; the page follows what it did. */
function useStaffDriver(money: StaffMoney): [MoneyDriver, MoneySnapshot] {
  const router = useRouter();
  const [driver] = useState(
    () =>
      new MoneyDriver(
        "refund",
        money.paymentId,
        staffMoneyPorts(money, () => router.refresh()),
      ),
  );
  const snapshot = useSyncExternalStore(driver.subscribe, driver.getSnapshot, driver.getSnapshot);
  useEffect(() => {
    void driver.open();
    return () => driver.close();
  }, [driver]);
  return [driver, snapshot];
}
