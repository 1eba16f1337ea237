"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { StatusBadge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Facts } from "@/components/ui/card";
import { Form, FormDialog } from "@/components/ui/form";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { placePlanRefusal, planChanges, planFormValues, readPlan, termsTyped } from "@/lib/client/plans/plan-form";
import { useForm } from "@/lib/client/use-form";
import type { CurrencyOption } from "@/lib/contract/format";
import type { Plan } from "@/lib/contract/plans/plan";
import type { Mode } from "@/lib/contract/transactions/words";
import { DescriptionFields, PriceFields } from "./plan-fields";
import { PlanDescription, PlanPreview } from "./plan-preview";

type PlanEditorProps = { plan: Plan; mode: Mode; today: string; currencies: readonly CurrencyOption[] };

/** A plan for users who may edit it. */
export function PlanEditor({ plan: loaded, mode, today, currencies }: PlanEditorProps) {
  const router = useRouter();
  const { can } = useDashboard();
  const [plan, setPlan] = useState(loaded);
  const [changing, setChanging] = useState(false);
  const form = useForm(planFormValues(plan, plan.currency), {
    check: (values) => readPlan(values).errors,
    place: placePlanRefusal,
  });
  const { values, dirty, pending } = form;
  const active = plan.status === "ACTIVE";

  function changed(next: Plan, message: string) {
    setPlan(next);
    form.keep(planFormValues(next, next.currency));
    toast.success(message);
    router.refresh();
  }

  async function save() {
    const { body } = readPlan(values);
    if (body === null) return;
    const { data } = await callApi("PATCH /v1/subscription-plans/{id}", {
      mode,
      params: { id: plan.id },
      body: planChanges(plan, body),
    });
    changed(data, "Plan saved");
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
            <Button variant={active ? "secondary" : "primary"} onClick={() => setChanging(true)} disabled={dirty}>
              {active ? "Deactivate" : "Activate"}
            </Button>
            {active && plan.type === "ONE_TIME" && can("client_session.create") && (
              <Link href={`/${mode}/checkout/new?plan=${plan.id}`} className={buttonStyles()}>
                New session
              </Link>
            )}
            {active && plan.type !== "ONE_TIME" && can("subscription.write") && (
              <Link href={`/${mode}/subscriptions/new?plan=${plan.id}`} className={buttonStyles()}>
                Add subscriber
              </Link>
            )}
            {active && can("client_session.create") && (
              <Link
                href={`/${mode}/checkout/links/new?plan=${plan.id}`}
                className={buttonStyles({ variant: "primary" })}
              >
                Sell by link
              </Link>
            )}
          </>
        }
      />
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <Form form={form} onSubmit={save} live guarded aria-label="Plan">
          <DescriptionFields form={form} />
          {active && (
            <Banner tone="neutral" title="Price and timing are locked">
              Deactivate the plan to change them, or create another plan. Subscriptions keep the price they were sold
              at.
            </Banner>
          )}
          <PriceFields form={form} currencies={currencies} locked={active} />
          <div className="flex flex-wrap items-center gap-2 border-t pt-4">
            <Button type="submit" variant="primary" pending={pending} disabled={!dirty}>
              Save changes
            </Button>
            <Button onClick={form.discard} disabled={!dirty || pending}>
              Discard
            </Button>
            {dirty && (
              <p className="text-[13px] text-soft">
                Save or discard before you {active ? "deactivate" : "activate"} it.
              </p>
            )}
          </div>
        </Form>
        <div className="flex flex-col gap-5 lg:sticky lg:top-16">
          <PlanPreview terms={termsTyped(values)} currency={values.currency} today={today} />
          <PlanFacts plan={plan} />
        </div>
      </div>
      {changing && (
        <PlanStatusDialog
          plan={plan}
          mode={mode}
          onClose={() => setChanging(false)}
          onChanged={(next) => {
            setChanging(false);
            changed(next, next.status === "ACTIVE" ? "Plan activated" : "Plan deactivated");
          }}
        />
      )}
    </>
  );
}

type PlanStatusDialogProps = { plan: Plan; mode: Mode; onClose: () => void; onChanged: (plan: Plan) => void };

/** Activates a plan, or deactivates it after confirmation. */
function PlanStatusDialog({ plan, mode, onClose, onChanged }: PlanStatusDialogProps) {
  const form = useForm({});
  const deactivate = plan.status === "ACTIVE";

  async function change() {
    const verb = deactivate ? "deactivate" : "activate";
    const { data } = await callApi(`POST /v1/subscription-plans/{id}/${verb}`, { mode, params: { id: plan.id } });
    onChanged(data);
  }

  return (
    <FormDialog
      form={form}
      title={deactivate ? `Deactivate ${plan.name}?` : `Activate ${plan.name}?`}
      submitLabel={deactivate ? "Deactivate plan" : "Activate plan"}
      danger={deactivate}
      focus="submit"
      onSubmit={change}
      onClose={onClose}
    >
      <ul className="flex list-disc flex-col gap-1 pl-4">
        {(deactivate ? DEACTIVATE : ACTIVATE).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {plan.status === "DRAFT" && <li>It can’t become a draft again.</li>}
      </ul>
    </FormDialog>
  );
}

const ACTIVATE = [
  "New payments and client sessions can use the plan from now on.",
  "Its price and timing are locked while it’s active.",
];
const DEACTIVATE = [
  "New payments and client sessions with this plan are refused from now on.",
  "Existing payments and subscriptions are not affected: they renew at the price they were sold at.",
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
