import { CalendarDays } from "lucide-react";
import { StatusBadge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { dayText, moneyTextWithCode } from "@/lib/contract/format";
import type { Plan } from "@/lib/contract/plans/plan";
import {
  everyText,
  firstYear,
  lengthText,
  PLAN_STATUS_SENTENCES,
  PLAN_TYPE_LABELS,
  type PlanTerms,
  planSchedule,
  priceText,
  type ScheduledCharge,
  termsOf,
} from "@/lib/contract/plans/schedule";
import type { Mode } from "@/lib/contract/transactions/words";

type PlanPreviewProps = {
  /** Null while the terms are incomplete. */
  terms: PlanTerms | null;
  currency: string;
  /** Calendar date of the example purchase. */
  today: string;
};

/** Payments of a customer who buys today. */
export function PlanPreview({ terms, currency, today }: PlanPreviewProps) {
  return (
    <section aria-label="What a customer pays" className="rounded-lg border bg-raised">
      <header className="border-b px-4 py-2.5">
        <h2 className="font-semibold text-sm leading-6">What a customer pays</h2>
        <p className="text-[13px] text-soft" aria-live="polite" data-testid="price-in-words">
          {terms ? `${priceText(terms, currency)}.` : "Fill in the price and its timing to see the schedule."}
        </p>
      </header>
      {terms ? (
        <Schedule terms={terms} currency={currency} today={today} />
      ) : (
        <p className="flex items-center justify-center gap-2 px-4 py-12 text-[13px] text-soft">
          <CalendarDays aria-hidden="true" className="size-4" /> Dates and amounts appear here.
        </p>
      )}
    </section>
  );
}

function Schedule({ terms, currency, today }: { terms: PlanTerms; currency: string; today: string }) {
  const charges = planSchedule(terms, today);
  const year = firstYear(terms, today);
  return (
    <>
      <ol className="px-4 py-1.5 text-[13px]">
        {charges.map((charge, index) => (
          <li
            key={charge.on}
            className="grid grid-cols-[7rem_1fr_auto] items-baseline gap-x-3 border-line border-b border-dashed py-1.5 last:border-0"
          >
            <time dateTime={charge.on} className="tabular-nums">
              {dayText(charge.on)}
            </time>
            <span className="text-soft">{stepText(charge, terms, index)}</span>
            <Money amount={charge.amount} currency={currency} bare />
          </li>
        ))}
      </ol>
      {terms.every !== null && (
        <footer className="border-t px-4 py-2.5 text-[13px] text-soft">
          <p>And so on until the subscription ends.</p>
          <p className="mt-0.5 flex flex-wrap justify-between gap-x-3">
            <span>
              First year: {year.charges} {year.charges === 1 ? "charge" : "charges"}
            </span>
            <Money amount={year.amount} currency={currency} className="text-ink" />
          </p>
          {fallsOnMissingDays(charges, terms) && (
            <p className="mt-1.5">In shorter months, the charge falls on the last day.</p>
          )}
        </footer>
      )}
    </>
  );
}

function stepText({ kind }: ScheduledCharge, terms: PlanTerms, index: number): string {
  const today = index === 0 ? "Today" : null;
  switch (kind) {
    case "single":
      return "Today, once";
    case "free_trial":
      return `Today, ${terms.trial ? lengthText(terms.trial) : ""} free`;
    case "paid_trial":
      return `Today, for ${terms.trial ? lengthText(terms.trial) : ""}`;
    case "full":
      return today ?? (terms.trial && index === 1 ? "Trial ends, full price" : "");
    default:
      return kind satisfies never;
  }
}

function fallsOnMissingDays(charges: ScheduledCharge[], { every }: PlanTerms): boolean {
  const first = charges.find((charge) => charge.kind === "full");
  return every?.unit === "MONTHS" && Number(first?.on.slice(8)) > 28;
}

/** Meaning of the plan's status, and its id. */
export function PlanDescription({ plan }: { plan: Plan }) {
  return (
    <>
      {PLAN_STATUS_SENTENCES[plan.status]}
      <span className="block">
        <CopyId id={plan.id} />
      </span>
    </>
  );
}

type PlanViewProps = { plan: Plan; mode: Mode; today: string };

/** A plan for users who may only read it. */
export function PlanView({ plan, mode, today }: PlanViewProps) {
  const terms = termsOf(plan);
  const money = (amount: number) => moneyTextWithCode(amount, plan.currency);
  return (
    <>
      <PageHeader
        title={plan.name}
        crumbs={[{ label: "Plans", href: `/${mode}/plans` }]}
        badge={<StatusBadge status={plan.status} />}
        description={<PlanDescription plan={plan} />}
      />
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="flex flex-col gap-5">
          <Banner title="View only">Your role cannot change plans. An owner can change your role.</Banner>
          <Facts
            items={[
              { term: "Type", value: PLAN_TYPE_LABELS[plan.type] },
              { term: "Price", value: money(terms.price) },
              { term: "Billed", value: terms.every ? everyText(terms.every) : "once" },
              { term: "Trial", value: terms.trial && lengthText(terms.trial) },
              { term: "Price of the trial", value: terms.trialPrice === null ? null : money(terms.trialPrice) },
              { term: "Note", value: plan.description },
              { term: "Created", value: <Time at={plan.created_at} /> },
              { term: "Last changed", value: <Time at={plan.updated_at} /> },
            ]}
          />
        </div>
        <PlanPreview terms={terms} currency={plan.currency} today={today} />
      </div>
    </>
  );
}
