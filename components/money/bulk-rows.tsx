"use client";

import { Badge, type Tone } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { CopyId } from "@/components/ui/copy-id";
import { Money } from "@/components/ui/money";
import { Spinner } from "@/components/ui/spinner";
import { type BulkRow, type BulkRowState, type BulkRun, canRetryRow } from "@/lib/client/bulk-record";
import { cardText } from "@/lib/client/card-text";
import type { ListedTransaction } from "@/lib/contract/transaction";

type BulkRowsProps = {
  run: BulkRun;
  started: boolean;
  /** Selected, and not refundable. */
  refused: readonly { transaction: ListedTransaction; reason: string }[];
  onRetry: (row: BulkRow) => void;
};

/** One line a payment: whose, how much, and how it went. */
export function BulkRows({ run, started, refused, onRetry }: BulkRowsProps) {
  return (
    <div className="flex flex-col gap-3">
      {run.rows.length > 0 && (
        <ul aria-label="Payments to refund" className="max-h-80 divide-y overflow-y-auto rounded-md border">
          {run.rows.map((row) => (
            <li key={row.key} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
              <Who card={row.card} customer={row.customer} id={row.paymentId} />
              <Money amount={row.amount} currency={row.currency} className="text-right" />
              {started && <Outcome row={row} onRetry={onRetry} />}
            </li>
          ))}
        </ul>
      )}
      {refused.length > 0 && (
        <section aria-label="Not refundable">
          <h3 className="mb-1.5 font-medium">
            {refused.length} of the selected cannot be refunded and {refused.length === 1 ? "is" : "are"} left out
          </h3>
          <ul className="max-h-48 divide-y overflow-y-auto rounded-md border">
            {refused.map(({ transaction, reason }) => (
              <li key={transaction.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 text-soft">
                <Who
                  card={cardText(transaction.card_brand, transaction.card_last4)}
                  customer={transaction.customer_email ?? transaction.customer_name}
                  id={transaction.payment_id}
                />
                <Money amount={transaction.amount} currency={transaction.currency} />
                <p className="w-full">{reason}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Who({ card, customer, id }: { card: string; customer: string | null; id: string }) {
  return (
    <div className="min-w-0 flex-1 basis-48">
      <p className="truncate">
        {card}
        {customer && <span className="text-soft"> · {customer}</span>}
      </p>
      <CopyId id={id} short className="text-soft" />
    </div>
  );
}

const LOOKS: Record<BulkRowState["step"], { label: string; tone: Tone }> = {
  waiting: { label: "Waiting", tone: "neutral" },
  sending: { label: "Sending", tone: "blue" },
  refunded: { label: "Refunded", tone: "violet" },
  refused: { label: "Refused", tone: "red" },
  unknown: { label: "Outcome unknown", tone: "amber" },
  not_sent: { label: "Not sent", tone: "neutral" },
};

function Outcome({ row, onRetry }: { row: BulkRow; onRetry: (row: BulkRow) => void }) {
  const { state } = row;
  const { label, tone } = LOOKS[state.step];
  const detail = detailOf(state);
  return (
    <>
      <div className="flex min-w-32 items-center justify-end gap-2">
        <Badge tone={tone} icon={state.step === "sending" ? <Spinner /> : undefined}>
          {label}
        </Badge>
      </div>
      {(detail || state.step === "unknown") && (
        <div className="flex w-full flex-wrap items-center gap-2 text-soft">
          <p className="min-w-0 flex-1">{detail}</p>
          {state.step === "unknown" && canRetryRow(row) && (
            <Button size="sm" onClick={() => onRetry(row)}>
              Retry safely
            </Button>
          )}
        </div>
      )}
    </>
  );
}

function detailOf(state: BulkRowState): string | null {
  switch (state.step) {
    case "refused":
    case "not_sent":
      return state.detail;
    case "unknown":
      return (
        state.notice ??
        (state.why === "pending"
          ? "The processor has not said yet how it went."
          : "No answer came. Retrying repeats it under the same key: there is never a second refund.")
      );
    default:
      return null;
  }
}
