import { Banner } from "@/components/ui/banner";
import { Facts } from "@/components/ui/facts";
import { PageHeader } from "@/components/ui/page-header";
import { StatusBadge } from "@/components/ui/status-badge";
import { Time } from "@/components/ui/time";
import { moneyTextWithCode } from "@/lib/client/money-text";
import { everyText, lengthText, PLAN_TYPE_LABELS, termsOf } from "@/lib/client/plan-text";
import type { Plan } from "@/lib/contract/plan";
import type { Mode } from "@/lib/contract/transaction-words";
import { PlanDescription } from "./plan-description";
import { PlanPreview } from "./plan-preview";

type PlanViewProps = { plan: Plan; mode: Mode; today: string };

/** One plan to someone who may only look. */
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
          <Banner title="You can look, but not change">
            Your role does not include changing plans. An owner of your account can give you another role.
          </Banner>
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
