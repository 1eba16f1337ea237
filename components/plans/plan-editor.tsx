"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { StatusBadge } from "@/components/ui/badge";
import { Banner, FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Facts } from "@/components/ui/card";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { LiveFieldset, UnsavedGuard } from "@/components/ui/form";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { planChanges, planFormSchema, planFormValues } from "@/lib/client/plans/plan-form";
import type { CurrencyOption } from "@/lib/contract/format";
import type { CreatePlanBody, Plan } from "@/lib/contract/plans/plan";
import type { Mode } from "@/lib/contract/transactions/words";
import { DescriptionFields, type PlanForm, PriceFields, TypedPreview, usePlanFailure } from "./plan-fields";
import { PlanDescription } from "./plan-preview";

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

type PlanStatusDialogProps = {
  plan: Plan;
  mode: Mode;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onChanged: (plan: Plan) => void;
};

/** Activates a plan, or deactivates an active one, once it is clear what that means. */
function PlanStatusDialog({ plan, mode, open, onOpenChange, onChanged }: PlanStatusDialogProps) {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const deactivate = plan.status === "ACTIVE";

  async function change() {
    setPending(true);
    setFailure(null);
    try {
      const verb = deactivate ? "deactivate" : "activate";
      const path = `/v1/subscription-plans/${plan.id}/${verb}`;
      onChanged((await callApi<Plan>({ method: "POST", path, mode, body: {} })).data);
    } catch (error) {
      setFailure(failureText(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        setFailure(null);
        onOpenChange(next);
      }}
    >
      <DialogContent
        title={deactivate ? `Deactivate ${plan.name}?` : `Activate ${plan.name}?`}
        dismissible={!pending}
        footer={
          <>
            <Button onClick={() => onOpenChange(false)} disabled={pending}>
              Cancel
            </Button>
            <Button variant={deactivate ? "danger" : "primary"} pending={pending} onClick={change} data-autofocus>
              {deactivate ? "Deactivate plan" : "Activate plan"}
            </Button>
          </>
        }
      >
        <ul className="flex list-disc flex-col gap-1 pl-4">
          {(deactivate ? DEACTIVATE : ACTIVATE).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
          {plan.status === "DRAFT" && <li>It never becomes a draft again.</li>}
        </ul>
        <FormFailure failure={{ text: failure }} className="mt-4" />
      </DialogContent>
    </Dialog>
  );
}

const ACTIVATE = [
  "New payments and checkout sessions can use the plan from now on.",
  "Its price and timing are fixed for as long as it is active.",
];
const DEACTIVATE = [
  "New payments and checkout sessions with this plan are refused from now on.",
  "Payments that were made stay as they are.",
  "Its price and timing can be changed again, and it can be activated again.",
];

function PlanFacts({ plan }: { plan: Plan }) {
  return (
    <Facts
      items={[
        { term: "Created", value: <Time at={plan.created_at} /> },
        { term: "Last changed", value: <Time at={plan.updated_at} /> },
      ]}
    />
  );
}
