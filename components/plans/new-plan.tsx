"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { Button } from "@/components/ui/button";
import { RadioCards } from "@/components/ui/choices";
import { Form } from "@/components/ui/form";
import { buttonStyles } from "@/components/ui/styles";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { placePlanRefusal, planFormValues, readPlan, termsTyped } from "@/lib/client/plans/plan-form";
import { neverEnds, useForm, useOneKey } from "@/lib/client/use-form";
import type { CurrencyOption } from "@/lib/contract/format";
import type { Mode } from "@/lib/contract/transactions/words";
import { DescriptionFields, PriceFields } from "./plan-fields";
import { PlanPreview } from "./plan-preview";

const STATUSES = [
  { value: "DRAFT", label: "Draft", description: "Not for sale yet. Everything can still be changed." },
  { value: "ACTIVE", label: "Active", description: "For sale right away. Its price and timing are then locked." },
] as const;

type NewPlanProps = { mode: Mode; today: string; currency: string; currencies: readonly CurrencyOption[] };

export function NewPlan({ mode, today, currency, currencies }: NewPlanProps) {
  const router = useRouter();
  const sendOnce = useOneKey();
  const form = useForm(planFormValues(null, currency), {
    check: (values) => readPlan(values).errors,
    place: placePlanRefusal,
  });
  const { values } = form;

  async function submit() {
    const { body } = readPlan(values);
    if (body === null) return;
    const send = (idempotencyKey: string) => callApi("POST /v1/subscription-plans", { mode, body, idempotencyKey });
    const { data: plan } = await sendOnce(send);
    form.keep();
    toast.success(plan.status === "ACTIVE" ? "Plan created and active" : "Draft created");
    router.push(`/${mode}/plans/${plan.id}`);
    await neverEnds();
  }

  return (
    <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
      <Form form={form} onSubmit={submit} live guarded aria-label="New plan">
        <DescriptionFields form={form} />
        <PriceFields form={form} currencies={currencies} locked={false} />
        <RadioCards legend="Start as" options={STATUSES} {...form.choice("status")} columns={2} />
        <div className="flex flex-wrap gap-2 border-t pt-4">
          <Button type="submit" variant="primary" pending={form.pending}>
            {values.status === "ACTIVE" ? "Create active plan" : "Create draft"}
          </Button>
          <Link href={`/${mode}/plans`} className={buttonStyles()}>
            Cancel
          </Link>
        </div>
      </Form>
      <div className="lg:sticky lg:top-16">
        <PlanPreview terms={termsTyped(values)} currency={values.currency} today={today} />
      </div>
    </div>
  );
}
