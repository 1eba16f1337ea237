"use client";

import { useState } from "react";
import { RefundChanges } from "@/components/approvals/approval-changes";
import { RequestApproval } from "@/components/approvals/request-approval";
import { AmountError } from "@/components/ui/amount-error";
import { Banner } from "@/components/ui/banner";
import { Facts, Money } from "@/components/ui/card";
import { Checkbox } from "@/components/ui/checkbox";
import { Field, Input, Select, Textarea } from "@/components/ui/field";
import { Time } from "@/components/ui/time";
import type { Refusal } from "@/lib/client/payments/money-attempt";
import { fieldError, noteError, REFUND_REASON_LABELS, readAmount } from "@/lib/client/payments/money-form";
import { keepStaffReason, type StaffMoney } from "@/lib/client/payments/money-ports";
import type { MoneySubject } from "@/lib/client/payments/money-subject";
import { isDisputed } from "@/lib/contract/disputes/statuses";
import { moneyText } from "@/lib/contract/format";
import type { RefundReason } from "@/lib/contract/transactions/words";
import { plainAmount } from "@/lib/contract/typed-amount";
import { MoneyDialog, type MoneyWork, useMerchantMoney, useStaffMoney } from "./money-dialog";

type ActionDialogProps = { paymentId: string; onClose: () => void };

/** Refunds all that is left, or a part of it. */
export function RefundDialog({ paymentId, onClose }: ActionDialogProps) {
  return <RefundForm work={useMerchantMoney("refund", paymentId)} onClose={onClose} />;
}

type StaffRefundDialogProps = { money: StaffMoney; onClose: () => void };

/** The merchant's refund dialog plus support's reason, which is recorded and visible to the merchant. */
export function StaffRefundDialog({ money, onClose }: StaffRefundDialogProps) {
  return <RefundForm work={useStaffMoney("refund", money)} forMerchant onClose={onClose} />;
}

type RefundFormProps = { work: MoneyWork; forMerchant?: boolean; onClose: () => void };

function RefundForm({ work, forMerchant = false, onClose }: RefundFormProps) {
  const { driver, snapshot, refusal } = work;
  const { subject } = snapshot;
  const [reason, setReason] = useState<RefundReason>("CUSTOMER_REQUEST");
  const [note, setNote] = useState("");
  const [tried, setTried] = useState(false);
  const [consents, setConsents] = useState(false);
  const disputed = isDisputed(subject?.dispute ?? null);
  const amount = useAmount(subject, subject?.refundable ?? 0, "refunded", refusal, tried);
  const comment = note.trim();
  const noteMissing = forMerchant
    ? comment
      ? null
      : "Enter why you’re refunding for the merchant."
    : noteError(reason, note);

  function submit() {
    setTried(true);
    if (amount.minor === null || noteMissing || (disputed && !consents)) return;
    if (forMerchant) keepStaffReason(driver.paymentId, comment);
    const acknowledged = disputed && { acknowledge_dispute: true as const };
    void driver.submit({ amount: amount.minor, reason, ...(comment && { comment }), ...acknowledged }, amount.minor);
  }

  if (refusal?.needsApproval && subject && amount.minor !== null) {
    const parameters = {
      amount: amount.minor,
      reason,
      ...(comment && { comment }),
      ...(disputed && { acknowledge_dispute: true as const }),
    };
    return (
      <RequestApproval
        detail={refusal.detail}
        act={{ action: "REFUND", subject: driver.paymentId, parameters }}
        shown={
          <RefundChanges
            amount={amount.minor}
            currency={subject.currency}
            reason={reason}
            comment={comment || null}
            acknowledge_dispute={disputed}
          />
        }
        onClose={onClose}
      />
    );
  }

  const errors = {
    amount: amount.error,
    reason: fieldError(refusal, "reason"),
    note: fieldError(refusal, "X-Cardlane-Reason") ?? fieldError(refusal, "comment") ?? (tried ? noteMissing : null),
  };
  return (
    <MoneyDialog
      work={work}
      title={forMerchant ? "Refund for the merchant" : "Refund payment"}
      submitLabel={amount.text ? `Refund ${amount.text} to ${subject?.card}` : "Refund"}
      isFieldRefused={Object.values(errors).some(Boolean)}
      onSubmit={submit}
      onClose={onClose}
    >
      {subject && (
        <>
          {disputed && (
            <DisputeConsent
              label="Refund this payment anyway"
              checked={consents}
              missing={tried && !consents}
              onChange={setConsents}
            />
          )}
          <RefundFacts subject={subject} />
          <AmountField max={subject.refundable} currency={subject.currency} amount={amount} />
          <ReasonSelect
            label={forMerchant ? "Refund reason" : "Reason"}
            reason={reason}
            error={errors.reason}
            onReason={setReason}
          />
          {forMerchant ? (
            <NoteField
              label="Reason for refunding for the merchant"
              hint="Recorded with your name and shown to the merchant with the refund."
              name="why"
              maxLength={500}
              required
              note={note}
              error={errors.note}
              onNote={setNote}
            />
          ) : (
            <RefundNote reason={reason} note={note} error={errors.note} onNote={setNote} />
          )}
          <p className="text-soft">A refund cannot be undone. It reaches the customer’s card in 5–10 business days.</p>
        </>
      )}
    </MoneyDialog>
  );
}

type DisputeConsentProps = {
  label: string;
  checked: boolean;
  /** The form was submitted without consent. */
  missing?: boolean;
  onChange: (checked: boolean) => void;
};

/** A refund during a dispute may pay the customer twice, so the user must accept that. */
export function DisputeConsent({ label, checked, missing = false, onChange }: DisputeConsentProps) {
  return (
    <Banner tone="amber" title="The cardholder’s bank disputes this money">
      <p className="mb-1.5">
        If the bank decides for the cardholder, they get it from the dispute and from the refund: you pay twice. Respond
        to the dispute instead, unless you have agreed otherwise with the customer.
      </p>
      <Checkbox label={label} checked={checked} onChange={({ target }) => onChange(target.checked)} />
      {missing && (
        <p role="alert" className="mt-1 text-red text-xs leading-5">
          Confirm that you want to refund it anyway.
        </p>
      )}
    </Banner>
  );
}

/** Captured, refunded and refundable amounts. */
function RefundFacts({ subject: { captured, refunded, refundable, currency } }: { subject: MoneySubject }) {
  const underWay = captured - refunded - refundable;
  return (
    <Facts
      className="rounded-md border px-3 py-1.5"
      items={[
        { term: "Captured", value: <Money amount={captured} currency={currency} /> },
        { term: "Already refunded", value: <Money amount={refunded} currency={currency} /> },
        ...(underWay > 0 ? [{ term: "Being refunded", value: <Money amount={underWay} currency={currency} /> }] : []),
        { term: "Remaining", value: <Money amount={refundable} currency={currency} className="font-semibold" /> },
      ]}
    />
  );
}

/** Captures all or part of an authorized amount; the rest is released to the customer. */
export function CaptureDialog({ paymentId, onClose }: ActionDialogProps) {
  const work = useMerchantMoney("capture", paymentId);
  const { subject } = work.snapshot;
  const [tried, setTried] = useState(false);
  const amount = useAmount(subject, subject?.capturable ?? 0, "captured", work.refusal, tried);

  function submit() {
    setTried(true);
    if (amount.minor !== null) void work.driver.submit({ amount: amount.minor }, amount.minor);
  }

  const released = subject && amount.minor !== null ? subject.capturable - amount.minor : 0;
  return (
    <MoneyDialog
      work={work}
      title="Capture payment"
      submitLabel={amount.text ? `Capture ${amount.text} from ${subject?.card}` : "Capture"}
      isFieldRefused={amount.error !== null}
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
          <AmountField max={subject.capturable} currency={subject.currency} amount={amount} />
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

/** Releases a hold before anything is captured. */
export function VoidDialog({ paymentId, onClose }: ActionDialogProps) {
  const work = useMerchantMoney("void", paymentId);
  const { subject } = work.snapshot;
  const [reason, setReason] = useState("");
  const error = fieldError(work.refusal, "reason");

  function submit() {
    const text = reason.trim();
    if (subject) void work.driver.submit(text ? { reason: text } : {}, subject.amount);
  }

  const held = subject && moneyText(subject.amount, subject.currency);
  return (
    <MoneyDialog
      work={work}
      title="Void payment"
      danger
      submitLabel={subject ? `Void ${held} on ${subject.card}` : "Void"}
      isFieldRefused={error !== null}
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

/** The typed amount, which starts as the maximum. `max` in minor units. */
function useAmount(subject: MoneySubject | null, max: number, verb: string, refusal: Refusal | null, tried: boolean) {
  const [typed, setTyped] = useState<string | null>(null);
  const value = typed ?? (subject ? plainAmount(max, subject.currency) : "");
  const reading = subject ? readAmount(value, subject.currency, max, verb) : null;
  const minor = reading?.amount ?? null;
  return {
    value,
    /** In minor units; null while the text isn't an amount. */
    minor,
    text: subject && minor !== null ? moneyText(minor, subject.currency) : null,
    error: fieldError(refusal, "amount") ?? (tried || typed !== null ? (reading?.error ?? null) : null),
    choices: reading?.amount === null ? reading.choices : undefined,
    onChange: setTyped,
  };
}

type AmountFieldProps = { max: number; currency: string; amount: ReturnType<typeof useAmount> };

function AmountField({ max, currency, amount }: AmountFieldProps) {
  return (
    <Field
      label="Amount"
      hint={`Up to ${moneyText(max, currency)}`}
      error={amount.error && <AmountError message={amount.error} choices={amount.choices} onChoose={amount.onChange} />}
      reserved
    >
      {(field) => (
        <div className="relative">
          <Input
            {...field}
            name="amount"
            ref={takeFocus}
            inputMode="decimal"
            autoComplete="off"
            value={amount.value}
            onChange={(event) => amount.onChange(event.target.value)}
            className="pr-12 tabular-nums"
          />
          <span
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-soft text-xs"
          >
            {currency}
          </span>
        </div>
      )}
    </Field>
  );
}

/** The amount is the field that users change most. */
function takeFocus(input: HTMLInputElement | null): void {
  input?.focus({ preventScroll: true });
  input?.select();
}

type ReasonSelectProps = {
  label: string;
  reason: RefundReason;
  error?: string | null;
  onReason: (reason: RefundReason) => void;
};

export function ReasonSelect({ label, reason, error, onReason }: ReasonSelectProps) {
  return (
    <Field label={label} error={error}>
      {(field) => (
        <Select
          {...field}
          name="reason"
          value={reason}
          onChange={(event) => onReason(event.target.value as RefundReason)}
        >
          {Object.entries(REFUND_REASON_LABELS).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

type RefundNoteProps = { reason: RefundReason; note: string; error: string | null; onNote: (note: string) => void };

/** The reason "Other" requires a note. */
export function RefundNote({ reason, ...rest }: RefundNoteProps) {
  const required = reason === "OTHER";
  return (
    <NoteField
      label="Note"
      optional={!required}
      required={required}
      hint="For your own records."
      name="comment"
      maxLength={1000}
      {...rest}
    />
  );
}

type NoteFieldProps = Omit<RefundNoteProps, "reason"> & {
  label: string;
  hint: string;
  name: string;
  maxLength: number;
  required: boolean;
  optional?: boolean;
};

function NoteField({ label, hint, optional = false, required, error, note, onNote, ...rest }: NoteFieldProps) {
  return (
    <Field label={label} optional={optional} hint={hint} error={error}>
      {(field) => (
        <Textarea
          {...field}
          {...rest}
          rows={2}
          aria-required={required}
          value={note}
          onChange={(event) => onNote(event.target.value)}
        />
      )}
    </Field>
  );
}
