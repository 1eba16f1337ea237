"use client";

import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { openMoneyDialog } from "@/lib/client/payments/money-record";
import type { Unfinished } from "./money-host";
import { recordText } from "./unknown-outcome";

/** What still needs a look, wherever in the dashboard one is. */
export function UnfinishedMoney({ unfinished: { records, bulk } }: { unfinished: Unfinished }) {
  return (
    <div className="mb-4 flex flex-col gap-2">
      {records.map((record) => (
        <Banner
          key={`${record.action} ${record.paymentId}`}
          tone="amber"
          role="status"
          title="Outcome unknown"
          actions={
            <Button
              size="sm"
              onClick={() => openMoneyDialog({ kind: "action", action: record.action, paymentId: record.paymentId })}
            >
              Look into it
            </Button>
          }
        >
          The {recordText(record)} was sent, and nobody knows yet whether it went through.
        </Banner>
      ))}
      {bulk && (
        <Banner
          tone="amber"
          role="status"
          title="A bulk refund is not finished"
          actions={
            <Button size="sm" onClick={() => openMoneyDialog({ kind: "bulk", selection: null, onDone: () => {} })}>
              Look into it
            </Button>
          }
        >
          {bulk.rows.filter(({ state }) => state.step === "refunded").length} of {bulk.rows.length} payments are
          refunded.
        </Banner>
      )}
    </div>
  );
}
