"use client";

import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import type { Unfinished } from "@/lib/client/payments/bulk-record";
import type { MoneyDriver, MoneySnapshot, MoneyState } from "@/lib/client/payments/money-action";
import type { UnknownWhy } from "@/lib/client/payments/money-attempt";
import { type MoneyDialogRequest, openMoneyDialog } from "@/lib/client/payments/money-dialog";
import type { MoneyRecord } from "@/lib/client/payments/money-record";
import { moneyText } from "@/lib/contract/format";

const WHY: Record<UnknownWhy, string> = {
  no_answer: "The request was sent, but no response came back.",
  pending: "The processor has the request but no final response yet. The status is checked every few seconds.",
  server_error: "The service failed while it handled the request.",
  unanswerable: "The request was retried with the same key, but no response came back.",
};

/** `refund of $12.34 to Visa •••• 4242` */
function recordText({ action, amount, currency, card }: MoneyRecord): string {
  return `${action} of ${moneyText(amount, currency)} ${action === "refund" ? "to" : "on"} ${card}`;
}

type UnknownOutcomeProps = {
  driver: MoneyDriver;
  snapshot: MoneySnapshot;
  state: Extract<MoneyState, { step: "unknown" }>;
};

/** Unknown outcome: what is known, and the two safe actions. */
export function UnknownOutcome({ driver, snapshot: { record, subject }, state }: UnknownOutcomeProps) {
  if (!record) return null;
  return (
    <div className="flex flex-col gap-4">
      <Banner tone="amber" title={`We don’t know yet whether the ${recordText(record)} went through`}>
        <p>{WHY[state.why]}</p>
        {state.notice && <p className="mt-1">{state.notice}</p>}
      </Banner>
      <p>
        {state.retryable
          ? "Retrying sends the same request with the same idempotency key. If the first one went through, you get its result. It never runs twice."
          : "The idempotency key of this request has expired, so repeating it isn’t safe. Check the payment first."}
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

/** Requests with an unknown outcome, shown on every dashboard page. */
export function UnfinishedMoney({ unfinished: { records, requests, bulk } }: { unfinished: Unfinished }) {
  const lookButton = (request: MoneyDialogRequest) => (
    <Button size="sm" onClick={() => openMoneyDialog(request)}>
      Review
    </Button>
  );
  return (
    <div className="mb-4 flex flex-col gap-2">
      {records.map((record) => (
        <Banner
          key={`${record.action} ${record.paymentId}`}
          tone="amber"
          role="status"
          title="Outcome unknown"
          actions={lookButton({ kind: "action", action: record.action, paymentId: record.paymentId })}
        >
          The {recordText(record)} was sent, but its outcome is not known yet.
        </Banner>
      ))}
      {requests.map((record) => (
        <Banner
          key={record.subject}
          tone="amber"
          role="status"
          title="Outcome unknown"
          actions={lookButton({ kind: "request", record })}
        >
          “{record.title.replace(/\?$/, "")}” was sent, but its outcome is not known yet.
        </Banner>
      ))}
      {bulk && (
        <Banner
          tone="amber"
          role="status"
          title="A bulk refund isn’t finished"
          actions={lookButton({ kind: "bulk", selection: null, onDone: () => {} })}
        >
          {bulk.rows.filter(({ state }) => state.step === "refunded").length} of {bulk.rows.length} payments are
          refunded.
        </Banner>
      )}
    </div>
  );
}
