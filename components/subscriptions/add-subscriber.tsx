"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type ReactNode, useDeferredValue, useId, useState } from "react";
import { KeyedDialog } from "@/components/payments/keyed-dialog";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { RadioCards } from "@/components/ui/choices";
import { Form, SelectField, TextField } from "@/components/ui/form";
import { Skeleton } from "@/components/ui/skeleton";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";
import { instantIn, localTime } from "@/lib/client/checkout/link-form";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useKeyedAction } from "@/lib/client/payments/keyed-action";
import { keyedRequest } from "@/lib/client/payments/keyed-request";
import { useEnvironmentNow } from "@/lib/client/time-display";
import { useForm } from "@/lib/client/use-form";
import { cardText, moneyText } from "@/lib/contract/format";
import type { PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import type { Plan } from "@/lib/contract/plans/plan";
import { everyText, priceText, termsOf } from "@/lib/contract/plans/schedule";
import type { SubscriptionPreview } from "@/lib/contract/subscriptions/preview";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { subscriptionPath } from "./status";
import { SubscribeLink } from "./subscribe-link";
import { methodText } from "./update-dialogs";

type AddSubscriberProps = {
  /** Active plans of recurring types. */
  plans: readonly Plan[];
  /** Preset by the page that led here. */
  planId: string;
  customerId: string;
  email: string;
};

const TRIALS = [
  { value: "plan", label: "As in the plan" },
  { value: "date", label: "Until a date", description: "Instead of the plan’s own" },
] as const;

/** Subscribes a customer with a card on file, after showing what that does. */
export function AddSubscriber({ plans, planId, customerId, email }: AddSubscriberProps) {
  const { mode, merchant } = useDashboard();
  const nowMs = useEnvironmentNow();
  const [isConfirming, setConfirming] = useState(false);
  const form = useForm(
    {
      customer_id: customerId,
      customer_email: email,
      plan_id: plans.some(({ id }) => id === planId) ? planId : plans.length === 1 ? (plans[0]?.id ?? "") : "",
      quantity: "1",
      trial: "plan" as "plan" | "date",
      trial_end_at: localTime(new Date(nowMs + 14 * 86_400_000).toISOString(), merchant.timeZone),
      payment_method_id: "",
    },
    {
      check: (values) => ({
        customer_id: values.customer_id.trim() === "" ? "Enter your own id of the customer." : undefined,
        plan_id: values.plan_id === "" ? "Choose a plan." : undefined,
        quantity: isQuantity(values.quantity) ? undefined : "Use a number from 1 to 10,000.",
        trial_end_at:
          values.trial === "date" && instantIn(merchant.timeZone, values.trial_end_at) === null
            ? "Enter a date and a time."
            : undefined,
      }),
    },
  );
  const { values } = form;
  const customer = useDeferredValue(values.customer_id.trim());
  const cards = useCards(customer);
  // With one card there is nothing to choose.
  const card = cards.data?.find(({ id }) => id === values.payment_method_id) ?? cards.data?.[0] ?? null;
  const plan = plans.find(({ id }) => id === values.plan_id);
  const trialEnd = values.trial === "date" ? instantIn(merchant.timeZone, values.trial_end_at) : null;
  const body =
    card && plan && isQuantity(values.quantity) && (values.trial === "plan" || trialEnd !== null)
      ? {
          plan_id: plan.id,
          customer_id: customer,
          customer_email: values.customer_email.trim() || null,
          payment_method_id: card.id,
          quantity: Number(values.quantity),
          trial_end_at: trialEnd,
        }
      : null;
  const preview = useQuery({
    queryKey: ["new-subscription", mode, body],
    enabled: body !== null,
    queryFn: async ({ signal }) =>
      (
        await callApi("POST /api/dashboard/{mode}/subscriptions/preview", {
          params: { mode },
          body: body as NonNullable<typeof body>,
          signal,
        })
      ).data,
  });
  const known = body !== null && !preview.error ? preview.data : undefined;

  return (
    <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
      <Form form={form} onSubmit={async () => setConfirming(known !== undefined)} live aria-label="Add subscriber">
        <CustomerFields form={form} />
        <div className="grid gap-5 sm:grid-cols-[minmax(0,1fr)_7rem]">
          <SelectField label="Plan" {...form.field("plan_id")}>
            <option value="" disabled>
              Choose a plan
            </option>
            {plans.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name} · {priceText(termsOf(one), one.currency)}
              </option>
            ))}
          </SelectField>
          <TextField label="Quantity" {...form.field("quantity")} inputMode="numeric" autoComplete="off" />
        </div>
        <RadioCards legend="Trial" options={TRIALS} {...form.choice("trial")} columns={2} />
        {values.trial === "date" && (
          <TextField
            label="The trial ends"
            hint={`In ${merchant.timeZone}, the time zone of your business.`}
            type="datetime-local"
            {...form.field("trial_end_at")}
          />
        )}
        <CardField
          customer={customer}
          cards={cards.data ?? null}
          error={cards.error}
          value={card?.id ?? null}
          onChange={form.choice("payment_method_id").onChange}
        >
          <SubscribeLink
            key={`${customer} ${values.plan_id} ${values.customer_email}`}
            customer={customer}
            email={values.customer_email.trim()}
            plan={plan}
            reason={
              values.trial === "plan" && Number(values.quantity) === 1
                ? null
                : "A link sells one unit with the plan’s own trial: set the quantity to 1 and the trial as in the plan."
            }
          />
        </CardField>
        <div className="flex flex-wrap gap-2 border-t pt-4">
          <Button type="submit" variant="primary" disabled={known === undefined}>
            {known && plan ? submitText(known) : "Add subscriber"}
          </Button>
          <Link href={`/${mode}/subscriptions`} className={buttonStyles()}>
            Cancel
          </Link>
        </div>
      </Form>
      <section aria-label="What happens" className="rounded-lg border bg-raised lg:sticky lg:top-16">
        <h2 className="border-b px-4 py-2.5 font-semibold text-sm leading-6">What happens</h2>
        <div className="p-4 text-[13px]" aria-live="polite">
          {preview.error && body !== null ? (
            <Banner tone="amber">{failureText(preview.error)}</Banner>
          ) : known && plan && card ? (
            <Effects preview={known} plan={plan} card={card} />
          ) : body === null ? (
            <p className="text-soft">
              Choose a customer with a card on file and a plan to see what is charged, and when.
            </p>
          ) : (
            <Skeleton className="h-24 w-full" />
          )}
        </div>
      </section>
      {isConfirming && known && plan && card && body && (
        <ConfirmDialog preview={known} plan={plan} card={card} body={body} onClose={() => setConfirming(false)} />
      )}
    </div>
  );
}

const isQuantity = (text: string): boolean =>
  /^\d{1,5}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= 10_000;

const submitText = ({ due_now: due, currency }: SubscriptionPreview): string =>
  due > 0 ? `Subscribe and charge ${moneyText(due, currency)}` : "Start the trial";

const cardName = ({ card }: PaymentMethod): string => (card ? cardText(card.brand, card.last4) : "the card");

type EffectsProps = { preview: SubscriptionPreview; plan: Plan; card: PaymentMethod };

/** Today's charge, the first full one, and the charges after it. */
function Effects({ preview, plan, card }: EffectsProps) {
  const { currency, due_now: due, trial_end_at: trialEnd, trial_refused: isRefused, next_at, next_amount } = preview;
  const { every } = termsOf(plan);
  return (
    <dl className="flex flex-col gap-3">
      <div>
        <dt className="font-medium">Today</dt>
        <dd>
          {due > 0 ? (
            <>
              {moneyText(due, currency)} is charged to {cardName(card)}
              {trialEnd ? " for the trial." : " for the first period."}
            </>
          ) : (
            "Nothing is charged. The trial begins."
          )}
        </dd>
      </div>
      <div>
        <dt className="font-medium">
          <Time at={next_at} style="date" />
        </dt>
        <dd>
          {moneyText(next_amount, currency)} is charged{trialEnd ? ", the first time in full" : " again"}.
        </dd>
      </div>
      {every && (
        <div>
          <dt className="font-medium">From then on</dt>
          <dd>
            {moneyText(next_amount, currency)} {everyText(every)}, until you or the customer cancel.
          </dd>
        </div>
      )}
      {isRefused && (
        <div>
          <dt className="font-medium text-amber">No trial</dt>
          <dd>The customer, the card or the e-mail address has already had a trial of this plan.</dd>
        </div>
      )}
    </dl>
  );
}

type ConfirmDialogProps = EffectsProps & {
  body: {
    plan_id: string;
    customer_id: string;
    customer_email: string | null;
    payment_method_id: string;
    quantity: number;
    trial_end_at: string | null;
  };
  onClose: () => void;
};

/** Creates the subscription, once. */
function ConfirmDialog({ body, onClose, ...effects }: ConfirmDialogProps) {
  const { mode } = useDashboard();
  const router = useRouter();
  const action = useKeyedAction<Subscription>({
    subject: `subscribe ${body.customer_id} ${body.plan_id}`,
    title: `Subscribe ${body.customer_email ?? body.customer_id} to ${effects.plan.name}?`,
    request: () => keyedRequest("POST /v1/subscriptions", { body }),
    onChange: () => {},
    onDone: (subscription) => {
      toast.success("Subscriber added");
      router.push(subscriptionPath(mode, subscription.id));
    },
  });
  return (
    <KeyedDialog
      action={action}
      submitLabel={submitText(effects.preview)}
      done={() => <p>The subscription was created. Its page opens now.</p>}
      onClose={onClose}
    >
      <Effects {...effects} />
    </KeyedDialog>
  );
}

type CustomerForm = Parameters<typeof Form>[0]["form"] & {
  values: { customer_id: string; customer_email: string };
  field: ReturnType<typeof useForm<{ customer_id: string; customer_email: string }>>["field"];
  set: (changes: { customer_id?: string; customer_email?: string }) => void;
};

/** The customer's id, with suggestions from those who have paid, and e-mail address. */
function CustomerFields({ form }: { form: CustomerForm }) {
  const { mode, can } = useDashboard();
  const listId = useId();
  const typed = useDeferredValue(form.values.customer_id.trim());
  const { data: found = [] } = useQuery({
    queryKey: ["customers", mode, typed],
    enabled: typed.length >= 2 && can("transaction.search"),
    queryFn: async ({ signal }) => {
      const query = { q: typed, limit: "8" } as never;
      return (await callApi("GET /v1/customers", { mode, query, signal })).data.data;
    },
    retry: false,
  });
  const field = form.field("customer_id");
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <div>
        <TextField
          label="Customer"
          hint="Your own id of the customer."
          {...field}
          list={listId}
          maxLength={255}
          autoComplete="off"
          onChange={(event) => {
            const id = event.target.value;
            const known = found.find(({ customer_id }) => customer_id === id);
            form.set({ customer_id: id, ...(known?.email && { customer_email: known.email }) });
          }}
        />
        <datalist id={listId}>
          {found.map(({ id, customer_id, name, email }) =>
            customer_id === null ? null : (
              <option key={id} value={customer_id}>
                {[name, email].filter(Boolean).join(", ")}
              </option>
            ),
          )}
        </datalist>
      </div>
      <TextField
        label="E-mail"
        optional
        hint="For receipts and reminders."
        type="email"
        {...form.field("customer_email")}
        autoComplete="off"
      />
    </div>
  );
}

/** The customer's usable cards on file. */
function useCards(customer: string) {
  const { mode } = useDashboard();
  return useQuery({
    queryKey: ["payment-methods", mode, customer],
    enabled: customer !== "",
    queryFn: async ({ signal }) => {
      const query = { customer_id: customer, status: "ACTIVE", limit: "50" } as never;
      return (await callApi("GET /v1/payment-methods", { mode, query, signal })).data.data;
    },
  });
}

type CardFieldProps = {
  customer: string;
  cards: readonly PaymentMethod[] | null;
  error: Error | null;
  value: string | null;
  onChange: (id: string) => void;
  /** Shown if the customer has no card. */
  children: ReactNode;
};

function CardField({ customer, cards, error, value, onChange, children }: CardFieldProps) {
  if (customer === "") return null;
  if (error) return <Banner tone="red">{failureText(error)}</Banner>;
  if (cards === null) return <Skeleton className="h-16 w-full" />;
  if (cards.length === 0) return children;
  return (
    <RadioCards
      legend="Card on file"
      value={value}
      onChange={onChange}
      options={cards.map((card) => ({ value: card.id, label: methodText(card) }))}
    />
  );
}
