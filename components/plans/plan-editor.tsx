"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { LiveFieldset } from "@/components/forms/live-fieldset";
import { UnsavedGuard } from "@/components/forms/unsaved-guard";
import { Banner } from "@/components/ui/banner";
import { Button, buttonStyles } from "@/components/ui/button";
import { PageHeader } from "@/components/ui/page-header";
import { StatusBadge } from "@/components/ui/status-badge";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import type { CurrencyOption } from "@/lib/client/currency-options";
import { useDashboard } from "@/lib/client/dashboard-context";
import { planChanges, planFormSchema, planFormValues } from "@/lib/client/plan-form";
import type { CreatePlanBody, Plan } from "@/lib/contract/plan";
import type { Mode } from "@/lib/contract/transaction-words";
import { PlanDescription } from "./plan-description";
import { PlanFacts } from "./plan-facts";
import { DescriptionFields, type PlanForm, PriceFields } from "./plan-fields";
import { PlanStatusDialog } from "./plan-status-dialog";
import { TypedPreview } from "./typed-preview";
import { usePlanFailure } from "./use-plan-failure";

type PlanEditorProps = { plan: Plan; mode: Mode; today: string; currencies: readonly CurrencyOption[] };

/** One plan to someone who may change it. */
export function PlanEditor({ plan: loaded, mode, today, currencies }: PlanEditorProps) {
  const router = useRouter();
  const { can } = useDashboard();
  const [plan, setPlan] = useState(loaded);
  const [changing, setChanging] = useState(false);
  const form: PlanForm = useForm({
    resolver: zodResolver(planFormSchema),
    defaultValues: planFormValues(plan, plan.currency),
    mode: "onTouched",
  });
  const { failure, show, clear } = usePlanFailure(form);
  const { isDirty, isSubmitting } = form.formState;
  const active = plan.status === "ACTIVE";

  function changed(next: Plan, message: string) {
    setPlan(next);
    form.reset(planFormValues(next, next.currency));
    toast.success(message);
    router.refresh();
  }

  async function save(body: CreatePlanBody) {
    clear();
    try {
      const path = `/v1/subscription-plans/${plan.id}`;
      const { data } = await callApi<Plan>({ method: "PATCH", path, mode, body: planChanges(plan, body) });
      changed(data, "Plan saved");
    } catch (error) {
      show(error);
    }
  }

  return (
    <>
      <PageHeader
        title={plan.name}
        crumbs={[{ label: "Plans", href: `/${mode}/plans` }]}
        badge={<StatusBadge status={plan.status} />}
        description={<PlanDescription plan={plan} />}
        actions={
          <>
            <Button variant={active ? "secondary" : "primary"} onClick={() => setChanging(true)} disabled={isDirty}>
              {active ? "Deactivate" : "Activate"}
            </Button>
            {active && plan.type === "ONE_TIME" && can("client_session.create") && (
              <Link href={`/${mode}/checkout/new?plan=${plan.id}`} className={buttonStyles({ variant: "primary" })}>
                New payment link
              </Link>
            )}
          </>
        }
      />
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <form onSubmit={(event) => form.handleSubmit(save)(event)} noValidate aria-label="Plan" className="min-w-0">
          <LiveFieldset className="flex min-w-0 flex-col gap-5">
            {failure}
            <DescriptionFields form={form} />
            {active && (
              <Banner tone="neutral" title="Price and timing are locked">
                Buyers agreed to them. Deactivate the plan to change them, or create another plan.
              </Banner>
            )}
            <PriceFields form={form} currencies={currencies} locked={active} />
            <div className="flex flex-wrap items-center gap-2 border-t pt-4">
              <Button type="submit" variant="primary" pending={isSubmitting} disabled={!isDirty}>
                Save changes
              </Button>
              <Button onClick={() => form.reset()} disabled={!isDirty || isSubmitting}>
                Discard
              </Button>
              {isDirty && (
                <p className="text-[13px] text-soft">
                  Save or discard before you {active ? "deactivate" : "activate"} it.
                </p>
              )}
            </div>
          </LiveFieldset>
        </form>
        <div className="flex flex-col gap-5 lg:sticky lg:top-16">
          <TypedPreview control={form.control} today={today} />
          <PlanFacts plan={plan} />
        </div>
      </div>
      <PlanStatusDialog
        plan={plan}
        mode={mode}
        open={changing}
        onOpenChange={setChanging}
        onChanged={(next) => {
          setChanging(false);
          changed(next, next.status === "ACTIVE" ? "Plan activated" : "Plan deactivated");
        }}
      />
      <UnsavedGuard dirty={isDirty} />
    </>
  );
}
