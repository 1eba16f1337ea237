/** A payment's facts: notice, amounts, card and fraud score. Shown to merchants and to support. */
import { ArrowUpRight, CircleAlert, CircleCheck, CircleHelp, CircleX } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { disputePath, disputeTone } from "@/components/disputes/status";
import { Banner } from "@/components/ui/banner";
import { Facts, MetadataFacts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { isMailable } from "@/lib/contract/emails";
import { cardText } from "@/lib/contract/format";
import type { PaymentDetail, ShownPayment } from "@/lib/contract/payments/payment-detail";
import {
  AVS_RESULTS,
  type AvsResult,
  CVV_RESULTS,
  checkTone,
  DISPUTE_REASON_WORDS,
  DISPUTE_STATUS_WORDS,
} from "@/lib/contract/payments/words";
import type { Mode } from "@/lib/contract/transactions/words";
import { disputedAmount } from "./payment-records";

/** An e-mail address that wraps before its @ rather than within a word. */
export function EmailText({ address }: { address: string }) {
  const at = address.lastIndexOf("@");
  return (
    <>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
      {!isMailable(address) && (
        <span className="block text-soft">Receipts aren’t mailed: no mail can be sent to this address.</span>
      )}
    </>
  );
}

/** Times and the merchant's own values; `ids` adds the ids. */
export function PaymentFacts({ payment, ids = false }: { payment: ShownPayment; ids?: boolean }) {
  return (
    <>
      <Facts
        items={[
          ...(ids ? idFacts(payment) : []),
          { term: "Created", value: <Time at={payment.created_at} /> },
          { term: "Last change", value: <Time at={payment.updated_at} /> },
          { term: "Capture", value: payment.capture_method === "automatic" ? "Automatic" : "Manual" },
          { term: "Description", value: payment.description },
        ]}
      />
      <MetadataFacts metadata={payment.metadata} />
    </>
  );
}

export const idFacts = ({ id, transactions: [charge] }: ShownPayment) => [
  { term: "Payment", value: <CopyId id={id} short label="Copy payment id" /> },
  { term: "Transaction", value: charge && <CopyId id={charge.id} short label="Copy transaction id" /> },
];

const NOTHING_TAKEN: ReadonlySet<string> = new Set(["DECLINED", "FAILED", "VOIDED", "REQUIRES_ACTION"]);

/** The payment's amounts side by side: authorized, captured, refunded, fee, and what is left. */
export function PaymentAmounts({ detail, wide }: { detail: PaymentDetail; wide: boolean }) {
  const { payment, fee } = detail;
  const { currency, amount_captured: captured, amount_refunded: refunded } = payment;
  // With nothing captured, the amount above is enough and the rest would be zeros.
  if (NOTHING_TAKEN.has(payment.status)) return null;
  const disputed = disputedAmount(detail.ledger, currency);
  const money = (amount: number) => <Money amount={amount} currency={currency} bare />;
  return (
    <dl
      className={cn(
        "grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line",
        wide && (captured > 0 ? "sm:grid-cols-3 lg:grid-cols-6" : "sm:grid-cols-4"),
      )}
    >
      <Amount term="Amount">{money(payment.amount)}</Amount>
      <Amount term="Captured">{money(captured)}</Amount>
      <Amount term="Refunded">{money(refunded === 0 ? 0 : -refunded)}</Amount>
      {captured > 0 && (
        <>
          <Amount term="Fee">{money(fee === 0 ? 0 : -fee)}</Amount>
          <Amount term="Net" hint={disputed !== 0 && <>with {money(disputed)} of disputes</>}>
            {money(captured - refunded - fee + disputed)}
          </Amount>
        </>
      )}
      {payment.amount_capturable > 0 ? (
        <Amount term="Can be captured" hint={<CaptureBefore payment={payment} />}>
          {money(payment.amount_capturable)}
        </Amount>
      ) : (
        <Amount term="Can be refunded">{money(payment.amount_refundable)}</Amount>
      )}
    </dl>
  );
}

function CaptureBefore({ payment }: { payment: ShownPayment }) {
  const at = payment.transactions[0]?.capture_before;
  return at ? (
    <>
      until <Time at={at} />
    </>
  ) : null;
}

function Amount({ term, hint, children }: { term: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <div className="bg-ground px-4 py-2.5">
      <dt className="text-soft text-xs">{term}</dt>
      <dd className="text-sm">
        {children}
        {hint && <span className="block text-soft text-xs">{hint}</span>}
      </dd>
    </div>
  );
}

/** The most important notice: a dispute, a decline or an unknown outcome. The mode is null in support. */
export function PaymentNotice({ detail, mode }: { detail: PaymentDetail; mode: Mode | null }) {
  return (
    <>
      {detail.disputes.map((dispute) => (
        <DisputeNotice key={dispute.id} dispute={dispute} mode={mode} />
      ))}
      <StatusNotice detail={detail} />
    </>
  );
}

function DisputeNotice({ dispute, mode }: { dispute: PaymentDetail["disputes"][number]; mode: Mode | null }) {
  const {
    status,
    meaning,
    amount,
    currency,
    reason,
    network_reason_code: code,
    respond_by: before,
    dashboard_url: url,
    processor_id: id,
  } = dispute;
  const { title } = DISPUTE_STATUS_WORDS[status];
  return (
    <Banner
      tone={disputeTone(status)}
      title={
        <>
          Disputed: <Money amount={amount} currency={currency} />, {title.toLowerCase()}
        </>
      }
    >
      <p>
        {meaning}
        {status === "NEEDS_RESPONSE" && before && (
          <>
            {" "}
            Submit evidence by <Time at={before} />.
          </>
        )}
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-x-3 text-soft text-xs">
        <Link href={disputePath(mode, dispute.id)} prefetch={false} className="text-accent hover:underline">
          View dispute
        </Link>
        <span>
          Reason: {DISPUTE_REASON_WORDS[reason]}
          {code && `, code ${code}`}
        </span>
        <CopyId id={id} label="Copy the processor’s dispute id" />
        {url && <ProcessorLink href={url}>Open at the processor</ProcessorLink>}
      </p>
    </Banner>
  );
}

/** Link to the processor's own dashboard. */
export function ProcessorLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className="inline-flex items-center gap-0.5 text-accent text-xs hover:underline"
    >
      {children} <ArrowUpRight aria-hidden="true" className="size-3.5" />
    </a>
  );
}

/** The processor's ids of the payment and its refunds, each with a link. */
export function ProcessorObjects({ processor }: { processor: NonNullable<PaymentDetail["processor"]> }) {
  return (
    <Facts
      items={processor.objects.map(({ kind, id, url }) => ({
        term: OBJECT_WORDS[kind] ?? upper(kind.replaceAll("_", " ")),
        value: (
          <span className="flex flex-wrap items-center gap-x-3">
            <CopyId id={id} label={`Copy ${id}`} />
            {url && <ProcessorLink href={url}>Open</ProcessorLink>}
          </span>
        ),
      }))}
    />
  );
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const OBJECT_WORDS: Readonly<Record<string, string>> = {
  payment_intent: "PaymentIntent",
  psp_reference: "PSP reference",
};

function StatusNotice({ detail }: { detail: PaymentDetail }) {
  const { payment, decline, pending, timeline } = detail;
  if (decline) {
    return (
      <Banner tone="red" title={decline.meaning}>
        <p>{decline.advice}</p>
        <p className="mt-1 text-soft text-xs">
          Decline code <code className="font-mono">{decline.code}</code>. No money was taken.
        </p>
      </Banner>
    );
  }
  if (payment.status === "FAILED") {
    return (
      <Banner tone="red" title="The payment failed, and no money was taken">
        The processor could not complete it. Try again with a new idempotency key.
      </Banner>
    );
  }
  if (payment.status === "REQUIRES_ACTION") {
    return (
      <Banner tone="amber" title="The shopper must confirm this payment">
        The issuer requires 3-D Secure. Send the shopper to the challenge page; nothing is charged until they pass.
      </Banner>
    );
  }
  const open = timeline.findLast((entry) => entry.outcome === "pending");
  if (!pending || !open) return null;
  return (
    <Banner tone="amber" title="Outcome not known yet">
      {open.said} This page updates automatically.
    </Banner>
  );
}

const TONE_ICONS = {
  good: <CircleCheck aria-hidden="true" className="size-3.5 text-green" />,
  partly: <CircleAlert aria-hidden="true" className="size-3.5 text-amber" />,
  bad: <CircleX aria-hidden="true" className="size-3.5 text-red" />,
  unknown: <CircleHelp aria-hidden="true" className="size-3.5 text-soft" />,
};

/** The payer and their card, for the line below the amount. */
export function Payer({ payment }: Pick<PaymentDetail, "payment">) {
  const { customer_name: name, customer_email: email, card } = payment;
  const parts = [name ?? email, card && cardText(card.brand, card.last4)].filter(Boolean);
  return parts.length > 0 && <span className="text-ink [overflow-wrap:anywhere]">{parts.join(" · ")}</span>;
}

/** The masked card, and the results of its checks; `bin` adds the first digits. */
export function PaymentCard({ detail, bin = false }: { detail: PaymentDetail; bin?: boolean }) {
  const { payment, notes } = detail;
  const { card } = payment;
  const charge = payment.transactions[0];
  const avs = charge?.avs_result ?? null;
  const cvv = charge?.cvv_result ?? null;
  return (
    <>
      <Facts
        items={[
          { term: "Card", value: card && <span className="tabular-nums">{cardText(card.brand, card.last4)}</span> },
          {
            term: "Expires",
            value: card && (
              <span className="tabular-nums">
                {String(card.exp_month).padStart(2, "0")} / {card.exp_year}
              </span>
            ),
          },
          ...(bin ? [{ term: "BIN", value: card && <span className="tabular-nums">{card.bin}</span> }] : []),
          ...cardOnFile(payment),
          {
            term: "Address (AVS)",
            value: avs && <AddressCheck code={avs} hasStreet={Boolean(payment.billing_address?.line1)} />,
          },
          {
            term: "Security code (CVV)",
            value: cvv && <Check code={cvv} words={CVV_RESULTS[cvv]} icon={TONE_ICONS[checkTone("cvv", cvv)]} />,
          },
        ]}
      />
      <FraudScore score={charge?.fraud_score ?? null} reasons={notes[0]?.fraud_reasons ?? null} />
    </>
  );
}

const INITIATED = {
  merchant: "Initiated by merchant: charged without the customer",
  customer: "Initiated by the customer",
};

/** The stored card that the payment charged or stored; nothing for any other payment. */
function cardOnFile({ payment_method_id: id, initiator }: PaymentDetail["payment"]) {
  if (id === null) return [];
  const how = initiator === null ? "Stored by this payment" : INITIATED[initiator];
  return [
    {
      term: "Card on file",
      value: (
        <>
          {how}
          <br />
          <CopyId id={id} label="Copy payment method id" />
        </>
      ),
    },
  ];
}

/** Without a street, a matching postal code is a full match. */
function AddressCheck({ code, hasStreet }: { code: AvsResult; hasStreet: boolean }) {
  if (!hasStreet && POSTAL_CODE_ONLY.has(code))
    return <Check code={code} words="The postal code matches; no street was sent" icon={TONE_ICONS.good} />;
  return <Check code={code} words={AVS_RESULTS[code]} icon={TONE_ICONS[checkTone("avs", code)]} />;
}

const POSTAL_CODE_ONLY: ReadonlySet<string> = new Set(["Z", "W", "P"]);

function Check({ code, words, icon }: { code: string; words: string; icon: ReactNode }) {
  return (
    <span className="flex items-baseline gap-1.5">
      <span className="translate-y-0.5">{icon}</span>
      <span>
        {words} <code className="whitespace-nowrap font-mono text-soft text-xs">({code})</code>
      </span>
    </span>
  );
}

const LEVELS = [
  { from: 75, word: "High risk", bar: "fill-red", text: "text-red" },
  { from: 40, word: "Elevated risk", bar: "fill-amber", text: "text-amber" },
  { from: 0, word: "Low risk", bar: "fill-green", text: "text-green" },
];

/** Fraud score from 0 to 100, with the rules behind it. */
function FraudScore({ score, reasons }: { score: number | null; reasons: string[] | null }) {
  if (score === null) {
    return <p className="mt-3 border-t pt-3 text-soft">The payment was not scored.</p>;
  }
  const level = LEVELS.find(({ from }) => score >= from) ?? { word: "Low risk", bar: "fill-green", text: "text-green" };
  return (
    <div className="mt-3 border-t pt-3">
      <p className="flex items-baseline justify-between gap-4">
        <span className="text-soft">Fraud score</span>
        <span>
          <span className={cn("font-medium", level.text)}>{level.word}</span>{" "}
          <span className="tabular-nums">
            {score} <span className="text-soft">/ 100</span>
          </span>
        </span>
      </p>
      <meter min={0} max={100} value={score} aria-label="Fraud score" className="sr-only">
        {score} of 100, {level.word.toLowerCase()}
      </meter>
      <div aria-hidden="true" className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-line">
        {/* Drawn as SVG, because the page's policy blocks style attributes. */}
        <svg className="block size-full" aria-hidden="true">
          <rect rx="3" width={`${Math.max(score, 1)}%`} height="100%" className={level.bar} />
        </svg>
      </div>
      <div aria-hidden="true" className="mt-0.5 flex justify-between text-[11px] text-soft tabular-nums">
        <span>0</span>
        <span>100</span>
      </div>
      {reasons && reasons.length > 0 ? (
        <ul aria-label="What raised the score" className="mt-1 list-disc pl-4">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      ) : (
        <p className="mt-1 text-soft">No fraud rule matched.</p>
      )}
    </div>
  );
}
