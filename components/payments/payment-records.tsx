/** A payment's records: timeline, transactions, ledger lines, events. */
import Link from "next/link";
import { TransactionBadge } from "@/components/ui/badge";
import { Card, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import type { LedgerLine, PaymentDetail, PaymentEvent } from "@/lib/contract/payments/payment-detail";
import { LEDGER_ACCOUNT_WORDS, type LedgerAccountName, REFUND_REASON_WORDS } from "@/lib/contract/payments/words";
import { type Mode, signedAmount } from "@/lib/contract/transactions/words";
import { PaymentTimeline } from "./payment-timeline";

/** Timeline, transactions and balance. The mode is null in support, where keys have no pages. */
export function HistoryBlocks({ detail, mode }: { detail: PaymentDetail; mode: Mode | null }) {
  return (
    <>
      <Card title="Timeline">
        <PaymentTimeline entries={timelineOf(detail)} mode={mode} />
        {detail.truncated && <p className="mt-3 border-t pt-3 text-soft">Only the latest entries are shown.</p>}
      </Card>
      <Card title="Charge and refunds" flush>
        <TransactionList detail={detail} mode={mode} />
      </Card>
      {mode !== null && (
        <Card title="Your balance" flush>
          <BalanceLines lines={detail.ledger} />
        </Card>
      )}
    </>
  );
}

/** The notice above already explains a decline, so the timeline doesn't repeat it. */
const timelineOf = ({ timeline, decline }: PaymentDetail) =>
  timeline.map((entry) => (entry.said === decline?.meaning ? { ...entry, said: null } : entry));

/** The payment's transactions: its charge, then its refunds, each with its own id. */
function TransactionList({ detail, mode }: { detail: PaymentDetail; mode: Mode | null }) {
  const { payment, notes } = detail;
  return (
    <ul className="divide-y">
      {payment.transactions.map((transaction, index) => (
        <li
          key={transaction.id}
          id={transaction.id}
          className="flex scroll-mt-20 flex-col target:bg-accent-ground gap-0.5 px-4 py-2.5 text-[13px]"
        >
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium">{transaction.type === "CHARGE" ? "Charge" : "Refund"}</span>
            <TransactionBadge of={transaction} />
            <Money amount={signedAmount(transaction)} currency={transaction.currency} className="ml-auto" />
          </div>
          <div className="flex flex-wrap items-center justify-between gap-x-3 text-soft">
            <CopyId id={transaction.id} short label={`Copy ${transaction.id}`} />
            <Time at={transaction.created_at} className="text-xs" />
          </div>
          {transaction.refund_reason && (
            <p className="text-soft [overflow-wrap:anywhere]">
              {REFUND_REASON_WORDS[transaction.refund_reason]}
              {notes[index]?.refund_comment && `: ${notes[index].refund_comment}`}
            </p>
          )}
          {notes[index]?.credit_note && (
            <p className="text-soft">
              {payment.subscription_id ? "Credit note" : "Refund receipt"}{" "}
              <CreditNoteLink number={notes[index].credit_note} paymentId={payment.id} mode={mode} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

type CreditNoteLinkProps = {
  number: string;
  paymentId: string;
  /** Null in support, which opens no documents. */
  mode: Mode | null;
};

/** The document of a refund, as its customer sees it. */
export function CreditNoteLink({ number, paymentId, mode }: CreditNoteLinkProps) {
  if (mode === null) return <span className="tabular-nums">{number}</span>;
  return (
    <a
      href={`/${mode}/payments/${paymentId}/receipt?credit_note=${number}`}
      target="_blank"
      rel="noopener"
      className="text-accent tabular-nums underline underline-offset-2"
    >
      {number}
    </a>
  );
}

/** Accounts with the merchant's own money. */
const OWN: ReadonlySet<string> = new Set<LedgerAccountName>([
  "merchant_payable",
  "merchant_available",
  "merchant_in_payout",
]);

/** The change of the merchant's balance by a ledger line. Zero for moves within it. */
const balanceChange = ({ debit, credit, amount }: LedgerLine): number =>
  (OWN.has(credit) ? amount : 0) - (OWN.has(debit) ? amount : 0);

/**
 * The change of the merchant's balance by disputes in this currency, with their fees. A processor may book a
 * dispute in another currency than the payment's.
 */
export const disputedAmount = (lines: readonly LedgerLine[], currency: string): number =>
  lines
    .filter((line) => line.currency === currency && (line.debit === "disputes" || line.credit === "disputes"))
    .reduce((sum, line) => sum + balanceChange(line), 0);

/** The lines that change the merchant's balance, signed: charge, fee, refund. */
function BalanceLines({ lines }: { lines: LedgerLine[] }) {
  const changes = lines.filter((line) => balanceChange(line) !== 0);
  if (changes.length === 0) return <p className="p-4 text-[13px] text-soft">No money has moved.</p>;
  return (
    <ul className="divide-y text-[13px]">
      {changes.map((line) => (
        <li key={line.id} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2">
          <span className="font-medium">{line.title === "Capture" ? "Charge" : line.title}</span>
          <Time at={line.at} className="text-soft text-xs" />
          <span className="ml-auto tabular-nums">
            {balanceChange(line) > 0 && "+"}
            <Money amount={balanceChange(line)} currency={line.currency} bare />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The payment's ledger lines: each moves an amount from one account to another. */
export function LedgerTable({ lines }: { lines: LedgerLine[] }) {
  if (lines.length === 0) return <p className="p-4 text-[13px] text-soft">No money has moved.</p>;
  return (
    <div className="@container">
      <table className="w-full text-left text-[13px] @max-lg:block">
        <caption className="sr-only">Ledger lines of this payment, oldest first</caption>
        <thead className="text-soft text-xs @max-lg:sr-only">
          <tr className="border-b [&>th]:whitespace-nowrap [&>th]:px-4 [&>th]:py-1.5 [&>th]:font-medium">
            <th scope="col">Entry</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Time</th>
            <th scope="col" className="text-right">
              Amount
            </th>
          </tr>
        </thead>
        <tbody className="@max-lg:block">
          {lines.map((line) => (
            <Row key={line.id} line={line} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Narrow layout: entry and amount, with the accounts below. */
function Row({ line }: { line: LedgerLine }) {
  return (
    <tr className="border-b last:border-0 @max-lg:grid @max-lg:grid-cols-[auto_minmax(0,1fr)_auto] @max-lg:gap-x-1 @max-lg:px-4 @max-lg:py-2 @lg:[&>*]:px-4 @lg:[&>*]:py-2 @lg:[&>*]:whitespace-nowrap">
      <th scope="row" className="font-medium @max-lg:col-span-2">
        {line.title}
      </th>
      <td className="@max-lg:order-2 @max-lg:whitespace-nowrap @max-lg:text-soft">
        {LEDGER_ACCOUNT_WORDS[line.debit]}
        <span aria-hidden="true" className="@lg:hidden">
          {" →"}
        </span>
      </td>
      <td className="@max-lg:order-3 @max-lg:text-soft">{LEDGER_ACCOUNT_WORDS[line.credit]}</td>
      <td className="text-soft @max-lg:order-4 @max-lg:text-right @max-lg:text-xs">
        <Time at={line.at} />
      </td>
      <td className="text-right">
        <Money amount={line.amount} currency={line.currency} bare />
      </td>
    </tr>
  );
}

/** Events that were sent, newest first; without a mode they have no pages that the viewer may open, as in support. */
export function EventList({ events, mode = null }: { events: PaymentEvent[]; mode?: Mode | null }) {
  if (events.length === 0) return <p className="p-4 text-[13px] text-soft">No events yet.</p>;
  return (
    <ul className="divide-y">
      {events.map((event) => (
        <li key={event.id} className="flex flex-wrap items-center gap-x-3 px-4 py-1.5 text-[13px]">
          <code className="font-mono text-xs">
            {mode === null ? (
              event.type
            ) : (
              <Link
                href={`/${mode}/developers/events/${event.id}`}
                prefetch={false}
                className="inline-block py-1 text-accent hover:underline"
              >
                {event.type}
              </Link>
            )}
          </code>
          <span className="text-soft">
            <CopyId id={event.id} short label="Copy event id" />
          </span>
          <Time at={event.at} className="ml-auto text-soft text-xs" />
        </li>
      ))}
    </ul>
  );
}
