import {
  AlarmClock,
  CheckCheck,
  CircleX,
  Gavel,
  Handshake,
  type LucideIcon,
  PencilLine,
  Send,
  TriangleAlert,
} from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { NotesCard } from "@/components/notes/notes-card";
import { JsonView } from "@/components/payments/json-view";
import { EmailText, ProcessorLink } from "@/components/payments/payment-facts";
import { Actor } from "@/components/payments/request-list";
import { StatusBadge, type Tone } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Card, Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { RefreshEvery, Time } from "@/components/ui/time";
import { Timeline, TimelineItem } from "@/components/ui/timeline";
import type { Dispute } from "@/lib/contract/disputes/dispute";
import { DISPUTE_CLAIMS, type DisputeDetail, type DisputeStep } from "@/lib/contract/disputes/list";
import { isDisputed } from "@/lib/contract/disputes/statuses";
import { cardText } from "@/lib/contract/format";
import { DISPUTE_REASON_WORDS, DISPUTE_STATUS_WORDS } from "@/lib/contract/payments/words";
import type { Mode } from "@/lib/contract/transactions/words";
import { Deadline } from "./deadline";
import { EvidenceCard } from "./evidence-card";
import { DisputeBadge, disputeTone } from "./status";

const LINK = "text-accent hover:underline";
const REFRESH_MS = 10_000;

/** A dispute's page in the dashboard. */
export function DisputePage({ detail, mode }: { detail: DisputeDetail; mode: Mode }) {
  const { dispute } = detail;
  return (
    <article>
      <PageHeader
        title={<DisputeTitle dispute={dispute} />}
        crumbs={[{ label: "Disputes", href: `/${mode}/disputes` }]}
        badge={<DisputeBadge status={dispute.status} />}
        description={<DisputeIds dispute={dispute} />}
        actions={
          dispute.dashboard_url &&
          needsProcessor(dispute) && (
            <a
              href={dispute.dashboard_url}
              target="_blank"
              rel="noreferrer"
              className={buttonStyles({ variant: "primary" })}
            >
              Respond at the processor
            </a>
          )
        }
      />
      {isDisputed(dispute.status) && <RefreshEvery ms={REFRESH_MS} />}
      <DisputeBody detail={detail} mode={mode} />
    </article>
  );
}

/** True if only the processor's own pages take a response. */
const needsProcessor = ({ status, available_actions, pending_action }: Dispute) =>
  status === "NEEDS_RESPONSE" && available_actions.length === 0 && pending_action === null;

export const DisputeTitle = ({ dispute }: { dispute: Dispute }) => (
  <>
    Dispute of <Money amount={dispute.amount} currency={dispute.currency} />
  </>
);

const DisputeIds = ({ dispute }: { dispute: Dispute }) => (
  <span className="flex flex-wrap items-center gap-x-3">
    <CopyId id={dispute.id} label="Copy dispute id" className="text-ink" />
    <span>
      Opened <Time at={dispute.created_at} />
    </span>
  </span>
);

/** Notice, timeline and facts; the mode is null in support. */
export function DisputeBody({ detail, mode }: { detail: DisputeDetail; mode: Mode | null }) {
  const { dispute } = detail;
  return (
    <div className="flex flex-col gap-4">
      <DisputeNotice detail={detail} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="What the cardholder says">
            <p>{DISPUTE_CLAIMS[dispute.reason]}</p>
            <p className="mt-1 text-soft">
              Reason: {DISPUTE_REASON_WORDS[dispute.reason]}
              {dispute.network_reason_code && `, card network’s code ${dispute.network_reason_code}`}
            </p>
          </Card>
          <EvidenceCard detail={detail} mode={mode} />
          <Card title="Timeline">
            <DisputeTimeline detail={detail} />
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-4 lg:row-span-2">
          <Card title="Details">
            <DisputeFacts dispute={dispute} />
          </Card>
          <Card title="Payment">
            <PaymentSummary detail={detail} mode={mode} />
          </Card>
          <Card title="Customer">
            <CustomerSummary customer={detail.customer} mode={mode} />
          </Card>
          {mode !== null && <NotesCard subjectId={dispute.id} />}
        </div>
        <JsonView title="Raw JSON" value={dispute} label="The dispute as JSON" />
      </div>
    </div>
  );
}

const PENDING = {
  submit: "Your evidence is on its way to the bank",
  accept: "The dispute is being accepted",
} as const;

function DisputeNotice({ detail: { dispute, meaning, simulated } }: { detail: DisputeDetail }) {
  const { status } = dispute;
  if (dispute.pending_action !== null) {
    return (
      <Banner tone="amber" title={PENDING[dispute.pending_action]}>
        <p>
          The processor hasn’t confirmed it yet. This page shows the outcome once it is known; nothing is sent twice.
        </p>
      </Banner>
    );
  }
  return (
    <Banner tone={disputeTone(status)} title={DISPUTE_STATUS_WORDS[status].title}>
      <p>{meaning}</p>
      {status === "NEEDS_RESPONSE" && dispute.pending_action === null && (
        <p>
          {dispute.respond_by ? (
            <>
              Respond by <Deadline dispute={dispute} />. Without a response, the amount is lost.
            </>
          ) : (
            "Without a response in time, the amount is lost."
          )}
        </p>
      )}
      {status === "UNDER_REVIEW" && (
        <p>
          {simulated
            ? "The sandbox decides once the test clock has advanced by 10 days: the dispute is lost then."
            : "There is nothing to do until it has decided, which usually takes several weeks."}
        </p>
      )}
    </Banner>
  );
}

function DisputeFacts({ dispute }: { dispute: Dispute }) {
  return (
    <Facts
      items={[
        { term: "Amount", value: <Money amount={dispute.amount} currency={dispute.currency} /> },
        {
          term: "Processor’s fee",
          value: dispute.fee === null ? "Not known" : <Money amount={dispute.fee} currency={dispute.currency} />,
        },
        ...(dispute.status === "NEEDS_RESPONSE" && dispute.respond_by
          ? [{ term: "Respond by", value: <Deadline dispute={dispute} /> }]
          : []),
        { term: "Opened", value: <Time at={dispute.created_at} /> },
        { term: "Last change", value: <Time at={dispute.updated_at} /> },
        {
          term: "At the processor",
          value: (
            <span className="flex flex-wrap items-center gap-x-3">
              <CopyId id={dispute.processor_id} label="Copy the processor’s dispute id" />
              {dispute.dashboard_url && <ProcessorLink href={dispute.dashboard_url}>Open</ProcessorLink>}
            </span>
          ),
        },
      ]}
    />
  );
}

function PaymentSummary({ detail: { dispute, payment }, mode }: { detail: DisputeDetail; mode: Mode | null }) {
  const href = `/${mode ?? "support"}/payments/${dispute.payment_id}`;
  return (
    <Facts
      items={[
        {
          term: "Amount",
          value: (
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <Link href={href} prefetch={false} className={LINK}>
                <Money amount={payment.amount} currency={payment.currency} />
              </Link>
              <StatusBadge status={payment.status} />
            </span>
          ),
        },
        ...(payment.amount_refunded > 0
          ? [{ term: "Refunded", value: <Money amount={payment.amount_refunded} currency={payment.currency} /> }]
          : []),
        {
          term: "Card",
          value: payment.card && (
            <span className="tabular-nums">{cardText(payment.card.brand, payment.card.last4)}</span>
          ),
        },
        { term: "Created", value: <Time at={payment.created_at} /> },
      ]}
    />
  );
}

function CustomerSummary({ customer, mode }: { customer: DisputeDetail["customer"]; mode: Mode | null }) {
  const { id, customer_id, name, email } = customer;
  if (!customer_id && !email && !name) return <p className="text-soft">The payment has no customer details.</p>;
  const link = (text: ReactNode) =>
    id && mode !== null ? (
      <Link href={`/${mode}/customers/${id}`} prefetch={false} className={LINK}>
        {text}
      </Link>
    ) : (
      text
    );
  return (
    <Facts
      items={[
        { term: "Name", value: link(name ?? (id && mode !== null ? "View customer" : null)) },
        { term: "E-mail", value: email && <EmailText address={email} /> },
        {
          term: mode === null ? "Merchant’s customer id" : "Your customer id",
          value: customer_id && <CopyId id={customer_id} label="Copy customer id" />,
        },
      ]}
    />
  );
}

const STEPS: Record<DisputeStep["kind"], { icon: LucideIcon; tone: Tone; title: string; text: string | null }> = {
  opened: { icon: Gavel, tone: "red", title: "Opened by the cardholder’s bank", text: null },
  updated: { icon: PencilLine, tone: "neutral", title: "Changed by the bank", text: null },
  due_soon: { icon: AlarmClock, tone: "amber", title: "Two days left to respond", text: null },
  saved: { icon: PencilLine, tone: "neutral", title: "Evidence saved", text: null },
  submitted: {
    icon: Send,
    tone: "amber",
    title: "Evidence submitted",
    text: DISPUTE_STATUS_WORDS.UNDER_REVIEW.meaning,
  },
  won: { icon: CheckCheck, tone: "green", title: "Won", text: DISPUTE_STATUS_WORDS.WON.meaning },
  lost: { icon: CircleX, tone: "red", title: "Lost", text: DISPUTE_STATUS_WORDS.LOST.meaning },
  accepted: { icon: Handshake, tone: "neutral", title: "Accepted", text: DISPUTE_STATUS_WORDS.ACCEPTED.meaning },
};

/** Newest first, as on payments. */
function DisputeTimeline({ detail: { timeline, dispute, meaning } }: { detail: DisputeDetail }) {
  return (
    <Timeline>
      {dispute.status === "NEEDS_RESPONSE" && dispute.respond_by && (
        <TimelineItem icon={TriangleAlert} tone="amber" title="Last moment to respond" at={dispute.respond_by} />
      )}
      {timeline.toReversed().map(({ id, kind, at, actor }) => {
        const { icon, tone, title, text: usual } = STEPS[kind];
        const text = kind.toUpperCase() === dispute.status ? meaning : usual;
        return (
          <TimelineItem key={id} icon={icon} tone={tone} title={title} at={at}>
            {text && <p className="text-soft">{text}</p>}
            {actor.type !== "system" && (
              <p className="text-soft text-xs">
                By{" "}
                <span className="text-ink">
                  <Actor actor={actor} inSentence />
                </span>
              </p>
            )}
          </TimelineItem>
        );
      })}
    </Timeline>
  );
}
