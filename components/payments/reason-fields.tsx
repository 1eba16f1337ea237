"use client";

import { Field, Select, Textarea } from "@/components/ui/field";
import { REFUND_REASON_LABELS } from "@/lib/client/payments/money-subject";
import type { RefundReason } from "@/lib/contract/transactions/words";

type ReasonFieldsProps = {
  reason: RefundReason;
  note: string;
  reasonError?: string | null;
  noteError: string | null;
  onReason: (reason: RefundReason) => void;
  onNote: (note: string) => void;
};

/** Why money goes back; "other" needs a note. */
export function ReasonFields({ reason, note, reasonError, noteError, onReason, onNote }: ReasonFieldsProps) {
  return (
    <>
      <ReasonSelect label="Reason" reason={reason} error={reasonError} onReason={onReason} />
      <Field label="Note" optional={reason !== "OTHER"} hint="For your own records." error={noteError}>
        {(field) => (
          <Textarea
            {...field}
            name="comment"
            rows={2}
            maxLength={1000}
            aria-required={reason === "OTHER"}
            value={note}
            onChange={(event) => onNote(event.target.value)}
          />
        )}
      </Field>
    </>
  );
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
