"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Form, UnsavedGuard } from "@/components/ui/form";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { linkFormValues, readLink } from "@/lib/client/checkout/link-form";
import { useDashboard } from "@/lib/client/dashboard-context";
import { clockMs } from "@/lib/client/test-clock/clock";
import { useEnvironmentNow } from "@/lib/client/time-display";
import { useForm } from "@/lib/client/use-form";
import type { CurrencyOption } from "@/lib/contract/format";
import type { PlanOption } from "@/lib/contract/plans/schedule";
import type { Mode } from "@/lib/contract/transactions/words";
import { SoldFields, WordFields } from "./link-fields";

type NewLinkProps = {
  mode: Mode;
  /** Preselected plan. */
  planId: string | null;
  plans: readonly PlanOption[];
  currency: string;
  currencies: readonly CurrencyOption[];
};

/** Form for a new link; the created link has a page of its own. */
export function NewLink({ mode, planId, plans, currency, currencies }: NewLinkProps) {
  const router = useRouter();
  const { merchant, clock } = useDashboard();
  const now = useEnvironmentNow();
  const [isCreated, setCreated] = useState(false);
  const form = useForm(linkFormValues(currency, planId, plans.length > 0), {
    check: (values) => readLink(values, merchant.timeZone, now).errors,
  });
  const list = `/${mode}/checkout/links`;

  async function submit() {
    const { body } = readLink(form.values, merchant.timeZone, clockMs(clock, Date.now()));
    if (body === null) return;
    const { data } = await callApi("POST /api/dashboard/{mode}/payment-links", { params: { mode }, body });
    setCreated(true);
    toast.success("Payment link created");
    router.push(`${list}/${data.id}`);
  }

  return (
    <>
      <PageHeader
        title="New payment link"
        crumbs={[{ label: "Payment links", href: list }]}
        description="A link where customers can pay. You can copy it again at any time."
      />
      <Form form={form} onSubmit={submit} live aria-label="New payment link" className="flex max-w-2xl flex-col gap-5">
        <SoldFields form={form} plans={plans} currencies={currencies} />
        <WordFields form={form} withPlan={form.values.sell === "plan"} />
        <div className="flex flex-wrap gap-2 border-t pt-4">
          <Button type="submit" variant="primary" pending={form.pending || isCreated}>
            {mode === "live" ? "Create live payment link" : "Create payment link"}
          </Button>
          <Link href={list} className={buttonStyles()}>
            Cancel
          </Link>
        </div>
      </Form>
      <UnsavedGuard dirty={form.dirty && !form.pending && !isCreated} />
    </>
  );
}
