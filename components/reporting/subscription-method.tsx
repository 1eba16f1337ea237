"use client";

import { CircleHelp } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/floating";
import { CHURN_DAYS, TRIAL_DAYS } from "@/lib/contract/reporting/subscription-figures";

const METHODS = [
  {
    term: "Monthly recurring revenue",
    text: "Plan price × quantity of all active and past-due subscriptions, per month: a price for n months ÷ n, for n weeks × 52 ÷ 12 ÷ n, for n days × 365 ÷ 12 ÷ n. Summed exactly and rounded once, half to even. Credit and trials don’t count.",
  },
  {
    term: "Trials",
    text: `Subscriptions in a trial now, and how many of these begin to pay within ${TRIAL_DAYS} days.`,
  },
  {
    term: "Churn",
    text: `Subscriptions cancelled after their trial within the last ${CHURN_DAYS} days, by you, the customer or failed payments, as a share of these and the paying ones.`,
  },
  {
    term: "Failed renewals",
    text: "The amount due on open invoices whose last payment failed. Paying or voiding an invoice removes it.",
  },
];

/** Definitions of the subscription figures. */
export function FiguresExplained() {
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button size="sm" variant="ghost" icon={<CircleHelp aria-hidden="true" />}>
          Definitions
        </Button>
      </PopoverTrigger>
      <PopoverContent label="How the figures are computed" align="end" className="w-96">
        <dl className="flex flex-col gap-2 text-[13px]">
          {METHODS.map(({ term, text }) => (
            <div key={term}>
              <dt className="font-medium">{term}</dt>
              <dd className="text-soft">{text}</dd>
            </div>
          ))}
        </dl>
      </PopoverContent>
    </Popover>
  );
}
