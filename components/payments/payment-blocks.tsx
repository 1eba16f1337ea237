import type { ReactNode } from "react";
import { Card } from "@/components/ui/card";
import { wholePayment } from "@/lib/client/whole-payment";
import type { PaymentDetail } from "@/lib/contract/dashboard/payment-detail";
import type { Mode } from "@/lib/contract/transaction-words";
import { EventList } from "./event-list";
import { JsonView } from "./json-view";
import { LedgerTable } from "./ledger-table";
import { CustomerFacts, LinkedObjects } from "./linked-objects";
import { PaymentCard } from "./payment-card";
import { PaymentFacts } from "./payment-facts";
import { PaymentTimeline } from "./payment-timeline";
import { RequestList } from "./request-list";
import { TransactionList } from "./transaction-list";

type BlocksProps = { detail: PaymentDetail; mode: Mode };

/** What happened: timeline, transactions, books. */
export function HistoryBlocks({ detail, mode }: BlocksProps) {
  return (
    <>
      <Card title="Timeline">
        <PaymentTimeline entries={detail.timeline} mode={mode} />
        {detail.truncated && (
          <p className="mt-3 border-t pt-3 text-soft">Only the latest are shown: this payment has a long history.</p>
        )}
      </Card>
      <Card title="Charge and refunds" flush>
        <TransactionList detail={detail} />
      </Card>
      <Card title="Ledger" flush>
        <LedgerTable lines={detail.ledger} />
      </Card>
    </>
  );
}

/** What it is: card, customer, linked objects, details. */
export function FactBlocks({ detail, mode }: BlocksProps) {
  return (
    <>
      <Card title="Card and checks">
        <PaymentCard detail={detail} />
      </Card>
      <Card title="Customer">
        <CustomerFacts detail={detail} mode={mode} />
      </Card>
      <Card title="Details">
        <PaymentFacts payment={detail.payment} />
      </Card>
      <Card title="Linked">
        <LinkedObjects detail={detail} mode={mode} />
      </Card>
    </>
  );
}

/** What developers ask for: requests, events, the object itself. */
export function DeveloperBlocks({ detail, mode }: BlocksProps) {
  return (
    <>
      <Card title="API requests" description="Card numbers and security codes are never kept." flush>
        <RequestList requests={detail.requests} mode={mode} />
      </Card>
      <Card title="Events" flush>
        <EventList events={detail.events} />
      </Card>
      <JsonView title="Raw JSON" value={wholePayment(detail.payment)} label="The payment as JSON" />
    </>
  );
}

/** Tells those who do not see it that the status has changed. */
export function StatusAnnouncement({ children }: { children: ReactNode }) {
  return <output className="sr-only">{children}</output>;
}
