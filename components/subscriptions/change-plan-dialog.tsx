"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { InvoiceLines } from "@/components/invoices/invoice-lines";
import { KeyedDialog } from "@/components/payments/keyed-dialog";
import { Banner } from "@/components/ui/banner";
import { Checkbox } from "@/components/ui/checkbox";
import { RadioCards } from "@/components/ui/choices";
import { Field, Input, Select } from "@/components/ui/field";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/components/ui/styles";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useKeyedAction } from "@/lib/client/payments/keyed-action";
import { keyedRequest } from "@/lib/client/payments/keyed-request";
import { useTimeZone } from "@/lib/client/time-display";
import { dateText, moneyText } from "@/lib/contract/format";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import { priceText, termsOf } from "@/lib/contract/plans/schedule";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { cardOf } from "./charge-dialogs";
import { subscriberText } from "./status";
import type { SubscriptionDialogProps } from "./subscription-actions";

const MAX_QUANTITY = 10_000;

/** Changes plan and quantity, after showing the invoice that this makes. */
export function ChangePlanDialog({ detail, onClose }: SubscriptionDialogProps) {
  const { mode } = useDashboard();
  const router = useRouter();
  const zone = useTimeZone();
  const { subscription } = detail;
  const { id, currency, period } = subscription;
  const pending = subscription.pending_change;
  const [planId, setPlanId] = useState(pending?.plan_id ?? subscription.plan_id);
  const [typed, setTyped] = useState(String(pending?.quantity ?? subscription.quantity));
  const [when, setWhen] = useState<"period_end" | "now">("period_end");
  const [prorates, setProrates] = useState(true);
  const isTrial = period?.number === 0;
  const end = period ? dateText(new Date(period.end_at), zone) : "";
  const quantity = /^\d{1,5}$/.test(typed.trim()) ? Number(typed) : 0;
  const isQuantity = quantity >= 1 && quantity <= MAX_QUANTITY;
  const body = {
    plan_id: planId,
    quantity,
    when,
    proration: prorates ? ("credit" as const) : ("none" as const),
  };
  const isSame =
    planId === subscription.plan_id && quantity === subscription.quantity && (pending === null || when === "now");

  const plans = usePlans(subscription);
  const preview = useQuery({
    queryKey: ["preview-change", mode, id, body],
    enabled: isQuantity && !isSame,
    queryFn: async ({ signal }) =>
      (await callApi("POST /v1/subscriptions/{id}/preview-change", { mode, params: { id }, body, signal })).data,
    placeholderData: keepPreviousData,
  });
  const action = useKeyedAction<Subscription>({
    subject: `change-plan ${id}`,
    title: "Change plan or quantity",
    request: () => keyedRequest("POST /v1/subscriptions/{id}/change-plan", { params: { id }, body }),
    onChange: () => router.refresh(),
    onDone: () => {
      toast.success(when === "now" ? "Subscription changed" : `The change takes effect on ${end}`);
      onClose();
    },
  });
  // The user confirms the shown invoice, so it has to be that of these values.
  const shown = preview.error || preview.isPlaceholderData || isSame || !isQuantity ? null : (preview.data ?? null);
  const due = shown?.amount_due ?? 0;

  return (
    <KeyedDialog
      action={action}
      description={`Subscription of ${subscriberText(subscription)}`}
      submitLabel={
        when === "period_end"
          ? `Change on ${end}`
          : due > 0
            ? `Change now and charge ${moneyText(due, currency)}`
            : "Change now"
      }
      disabled={shown === null}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_7rem]">
        <Field label="Plan">
          {(field) => (
            <Select {...field} value={planId} onChange={(event) => setPlanId(event.target.value)}>
              {plans.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Quantity" error={isQuantity ? undefined : "1 to 10,000"}>
          {(field) => (
            <Input
              {...field}
              inputMode="numeric"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      </div>
      <RadioCards
        legend="When"
        columns={2}
        value={when}
        onChange={setWhen}
        options={[
          { value: "period_end", label: `On ${end}`, description: `With the next ${isTrial ? "charge" : "period"}` },
          {
            value: "now",
            label: "Now",
            description: isTrial ? "The trial goes on" : "The rest of the period is settled",
          },
        ]}
      />
      {when === "now" && !isTrial && (
        <Checkbox
          label="Prorate"
          description="Credits the unused part of the old price, and charges the same part of the new one."
          checked={prorates}
          onChange={(event) => setProrates(event.target.checked)}
        />
      )}
      {isSame ? (
        <p className="text-soft">Choose another plan or quantity to see what it costs.</p>
      ) : (
        <Preview
          invoice={preview.data ?? null}
          error={preview.error}
          isStale={preview.isPlaceholderData}
          sentence={sentenceOf(shown, { when, end, card: cardOf(detail) })}
        />
      )}
    </KeyedDialog>
  );
}

function sentenceOf(
  invoice: Invoice | null,
  { when, end, card }: { when: "now" | "period_end"; end: string; card: string },
): string {
  if (invoice === null) return "";
  const { amount_due: due, total, currency } = invoice;
  if (when === "period_end") return `${moneyText(due, currency)} is charged to ${card} on ${end}.`;
  if (due > 0) return `${moneyText(due, currency)} is charged to ${card} now.`;
  if (total < 0) return `Nothing is charged. ${moneyText(-total, currency)} is added to the customer’s credit.`;
  return "Nothing is charged now.";
}

type PreviewProps = { invoice: Invoice | null; error: Error | null; isStale: boolean; sentence: string };

function Preview({ invoice, error, isStale, sentence }: PreviewProps) {
  if (error) return <Banner tone="amber">{failureText(error)}</Banner>;
  if (invoice === null) return <Skeleton className="h-36 w-full" />;
  return (
    <section aria-label="Invoice of the change" aria-busy={isStale} className={cn(isStale && "opacity-60")}>
      {invoice.lines.length > 0 && (
        <div className="rounded-lg border">
          <InvoiceLines invoice={invoice} />
        </div>
      )}
      <p className="mt-2 font-medium" aria-live="polite">
        {sentence}
      </p>
    </section>
  );
}

/** Plans to change to: active, recurring and in the same currency; and the current one, as bought. */
function usePlans({ plan_id, plan, currency }: Subscription): { value: string; label: string }[] {
  const { mode } = useDashboard();
  const { data } = useQuery({
    queryKey: ["plans", mode, "ACTIVE"],
    queryFn: async ({ signal }) => {
      const query = { status: "ACTIVE", limit: "100" } as never;
      return (await callApi("GET /v1/subscription-plans", { mode, query, signal })).data.data;
    },
  });
  const others = (data ?? [])
    .filter((other) => other.type !== "ONE_TIME" && other.currency === currency && other.id !== plan_id)
    .map((other) => ({
      value: other.id,
      label: `${other.name} · ${priceText({ ...termsOf(other), trial: null, trialPrice: null }, other.currency)}`,
    }));
  const terms = { type: plan.type, price: plan.amount, every: plan.interval, trial: null, trialPrice: null };
  return [{ value: plan_id, label: `${plan.name} · ${priceText(terms, currency)} (current)` }, ...others];
}
