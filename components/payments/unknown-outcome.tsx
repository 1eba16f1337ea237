"use client";

import { Banner } from "@/components/ui/banner";
import { Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy-id";
import type { MoneyDriver, MoneySnapshot, MoneyState } from "@/lib/client/payments/money-action";
import type { UnknownWhy } from "@/lib/client/payments/money-attempt";
import type { MoneyRecord } from "@/lib/client/payments/money-record";
import { moneyText } from "@/lib/contract/format";

const WHAT = { refund: "refund", capture: "capture", void: "void" } as const;

const WHY: Record<UnknownWhy, string> = {
  no_answer: "The request was sent, but no answer came back.",
  pending: "The processor has the request and has not said yet how it went. This is looked up every few seconds.",
  server_error: "The service had a problem while it worked on the request.",
  unanswerable: "The request was repeated under the same key, but could not be answered.",
};

/** `refund of $12.34 to Visa •••• 4242` */
export function recordText({ action, amount, currency, card }: MoneyRecord): string {
  return `${WHAT[action]} of ${moneyText(amount, currency)} ${action === "refund" ? "to" : "on"} ${card}`;
}

type UnknownOutcomeProps = {
  driver: MoneyDriver;
  snapshot: MoneySnapshot;
  state: Extract<MoneyState, { step: "unknown" }>;
};

/** Neither success nor failure: what is known, and the two things that are safe to do. */
export function UnknownOutcome({ driver, snapshot: { record, subject }, state }: UnknownOutcomeProps) {
  if (!record) return null;
  return (
    <div className="flex flex-col gap-4">
      <Banner tone="amber" title={`It is not known yet whether the ${recordText(record)} went through`}>
        <p>{WHY[state.why]}</p>
        {state.notice && <p className="mt-1">{state.notice}</p>}
      </Banner>
      <p>
        {state.retryable
          ? "Retrying repeats this very request under the same idempotency key. If the first one went through, you get its result; there is never a second one."
          : "The idempotency key of this request is no longer kept, so repeating it would not be safe. Look at the payment and decide yourself."}
      </p>
      <Facts
        items={[
          { term: "Payment", value: <CopyId id={driver.paymentId} short label="Copy payment id" /> },
          { term: "Idempotency key", value: <CopyId id={record.key} label="Copy idempotency key" /> },
          ...(subject && record.action === "refund"
            ? [{ term: "Refunded so far", value: moneyText(subject.refunded, subject.currency) }]
            : []),
        ]}
      />
    </div>
  );
}
