"use client";

import { Clock, CreditCard, RefreshCw } from "lucide-react";
import { type Control, useWatch } from "react-hook-form";
import { Money } from "@/components/ui/money";
import { minorTyped, type SessionFormValues } from "@/lib/client/checkout/session-form";
import type { CreateClientSessionBody } from "@/lib/contract/client-session";
import type { PlanOption } from "./plan-picker";

type SessionSummaryProps = {
  control: Control<SessionFormValues, unknown, CreateClientSessionBody>;
  plans: readonly PlanOption[];
  merchantName: string;
};

/** What the shopper is asked for, keystroke by keystroke, and what every session is. */
export function SessionSummary({ control, plans, merchantName }: SessionSummaryProps) {
  const values = useWatch({ control }) as SessionFormValues;
  const plan = values.sell === "plan" ? plans.find(({ id }) => id === values.plan_id) : undefined;
  const minor = values.sell === "plan" ? (plan?.amount ?? null) : minorTyped(values);
  const manual = values.capture_method === "manual";
  return (
    <section aria-label="What the shopper pays" className="rounded-lg border bg-raised">
      <div className="border-b px-4 py-4" aria-live="polite">
        <p className="text-[13px] text-soft">Pay {merchantName}</p>
        <p className="font-semibold text-2xl leading-9" data-testid="summary-amount">
          {minor === null ? (
            <span className="text-soft">–</span>
          ) : (
            <Money amount={minor} currency={plan?.currency ?? values.currency} />
          )}
        </p>
        {plan && <p className="text-[13px] [overflow-wrap:anywhere]">{plan.name}</p>}
      </div>
      <ul className="flex flex-col gap-2 px-4 py-3 text-[13px] text-soft [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0 [&>li]:flex [&>li]:gap-2.5">
        <li>
          <CreditCard aria-hidden="true" />
          {manual ? "One payment, which you capture within 7 days." : "One payment, captured at once."}
        </li>
        <li>
          <Clock aria-hidden="true" />
          Open for 24 hours; you can cancel it before.
        </li>
        <li>
          <RefreshCw aria-hidden="true" />
          Five tries, should a card be declined.
        </li>
      </ul>
    </section>
  );
}
