"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { Controller, useForm, useWatch } from "react-hook-form";
import { Button } from "@/components/ui/button";
import { LiveFieldset, UnsavedGuard } from "@/components/ui/form";
import { RadioCards } from "@/components/ui/radio-cards";
import { buttonStyles } from "@/components/ui/styles";
import { toast } from "@/components/ui/toast";
import { ApiError, callApi } from "@/lib/client/api";
import { newIdempotencyKey } from "@/lib/client/payments/money-ports";
import { planFormSchema, planFormValues } from "@/lib/client/plans/plan-form";
import type { CurrencyOption } from "@/lib/contract/format";
import type { CreatePlanBody, Plan } from "@/lib/contract/plans/plan";
import type { Mode } from "@/lib/contract/transactions/words";
import { DescriptionFields, type PlanForm, PriceFields, TypedPreview, usePlanFailure } from "./plan-fields";

const STATUSES = [
  { value: "DRAFT", label: "Draft", description: "Not for sale yet. Everything can still be changed." },
  { value: "ACTIVE", label: "Active", description: "For sale at once. Price and timing are then fixed." },
] as const;

type NewPlanProps = { mode: Mode; today: string; currency: string; currencies: readonly CurrencyOption[] };

export function NewPlan({ mode, today, currency, currencies }: NewPlanProps) {
  const router = useRouter();
  const [created, setCreated] = useState(false);
  // One key for the form, so that a double click and a retry after a lost answer make one plan.
  const key = useRef<string>(null);
  key.current ??= newIdempotencyKey();
  const form: PlanForm = useForm({
    resolver: zodResolver(planFormSchema),
    defaultValues: planFormValues(null, currency),
    mode: "onTouched",
  });
  const { failure, show, clear } = usePlanFailure(form);
  const { isDirty, isSubmitting } = form.formState;
  const status = useWatch({ control: form.control, name: "status" });

  async function create(body: CreatePlanBody) {
    if (created) return;
    clear();
    try {
      const { data } = await callApi<Plan>({
        ...{ method: "POST", path: "/v1/subscription-plans", mode, body },
        ...(key.current && { idempotencyKey: key.current }),
      });
      setCreated(true);
      toast.success(data.status === "ACTIVE" ? "Plan created and active" : "Draft created");
      router.push(`/${mode}/plans/${data.id}`);
    } catch (error) {
      // An answer of these kinds belongs to the key for good: what is sent next is another request.
      if (error instanceof ApiError && (error.status === 422 || error.code === "idempotency_key_reused")) {
        key.current = newIdempotencyKey();
      }
      show(error);
    }
  }

  return (
    <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
      <form onSubmit={(event) => form.handleSubmit(create)(event)} noValidate aria-label="New plan" className="min-w-0">
        <LiveFieldset className="flex min-w-0 flex-col gap-5">
          {failure}
          <DescriptionFields form={form} />
          <PriceFields form={form} currencies={currencies} locked={false} />
          <Controller
            control={form.control}
            name="status"
            render={({ field }) => (
              <RadioCards
                legend="Start as"
                options={STATUSES}
                value={field.value === "ACTIVE" ? "ACTIVE" : "DRAFT"}
                onChange={field.onChange}
                columns={2}
              />
            )}
          />
          <div className="flex flex-wrap gap-2 border-t pt-4">
            <Button type="submit" variant="primary" pending={isSubmitting || created}>
              {status === "ACTIVE" ? "Create active plan" : "Create draft"}
            </Button>
            <Link href={`/${mode}/plans`} className={buttonStyles()}>
              Cancel
            </Link>
          </div>
        </LiveFieldset>
      </form>
      <div className="lg:sticky lg:top-16">
        <TypedPreview control={form.control} today={today} />
      </div>
      <UnsavedGuard dirty={isDirty && !created} />
    </div>
  );
}
