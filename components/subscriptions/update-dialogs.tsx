"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useRef } from "react";
import { Banner } from "@/components/ui/banner";
import { RadioCards } from "@/components/ui/choices";
import { FormDialog, TextField } from "@/components/ui/form";
import { Skeleton } from "@/components/ui/skeleton";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";
import { instantIn, localTime } from "@/lib/client/checkout/link-form";
import { useDashboard } from "@/lib/client/dashboard-context";
import { newIdempotencyKey } from "@/lib/client/payments/money-ports";
import { useTimeZone } from "@/lib/client/time-display";
import { useForm } from "@/lib/client/use-form";
import { cardText, dateText, moneyText } from "@/lib/contract/format";
import type { PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import type { UpdateSubscriptionBody } from "@/lib/contract/subscriptions/subscription";
import { planText, recurringText } from "./status";
import type { SubscriptionDialogProps } from "./subscription-actions";

/*
 * Changes that set a value: repeating one after a lost response has no further effect, so they need no
 * idempotency key.
 */

function useUpdate({ detail: { subscription }, onClose }: SubscriptionDialogProps) {
  const { mode } = useDashboard();
  const router = useRouter();
  return async (body: Partial<UpdateSubscriptionBody>, done: string) => {
    await callApi("PATCH /v1/subscriptions/{id}", { mode, params: { id: subscription.id }, body });
    router.refresh();
    toast.success(done);
    onClose();
  };
}

/** Undoes a cancellation at the end of the period. */
export function KeepDialog(props: SubscriptionDialogProps) {
  const { detail, onClose } = props;
  const form = useForm({});
  const update = useUpdate(props);
  const zone = useTimeZone();
  const { subscription } = detail;
  const end = subscription.period && dateText(new Date(subscription.period.end_at), zone);
  return (
    <FormDialog
      form={form}
      title={`Keep ${planText(subscription)}?`}
      submitLabel="Keep subscription"
      cancelLabel="Close"
      focus="submit"
      onSubmit={() => update({ cancel_at_period_end: false }, "Cancellation undone")}
      onClose={onClose}
    >
      <p>
        Instead of ending on {end}, it renews then: {recurringText(subscription)}.
      </p>
    </FormDialog>
  );
}

/** Stops invoices until it is resumed. */
export function PauseDialog({ detail, onClose }: SubscriptionDialogProps) {
  const { mode } = useDashboard();
  const router = useRouter();
  const form = useForm({});
  const key = useRef<string>(null);
  const { subscription, unpaid } = detail;

  async function pause() {
    key.current ??= newIdempotencyKey();
    const params = { id: subscription.id };
    await callApi("POST /v1/subscriptions/{id}/pause", { mode, params, idempotencyKey: key.current });
    router.refresh();
    toast.success("Subscription paused");
    onClose();
  }

  return (
    <FormDialog
      form={form}
      title={`Pause ${planText(subscription)}?`}
      submitLabel="Pause subscription"
      focus="submit"
      onSubmit={pause}
      onClose={onClose}
    >
      <ul className="flex list-disc flex-col gap-1 pl-4">
        <li>No invoices are issued and nothing is charged until you resume it.</li>
        {unpaid && (
          <li>
            While it is paused, the unpaid {moneyText(unpaid.invoice.amount_due, subscription.currency)} isn’t charged.
          </li>
        )}
        <li>Resuming begins a new period, which is charged then. The rest of this one isn’t refunded.</li>
      </ul>
    </FormDialog>
  );
}

/** Charges another of the customer's cards from now on. */
export function CardDialog(props: SubscriptionDialogProps) {
  const { detail, onClose } = props;
  const { mode } = useDashboard();
  const update = useUpdate(props);
  const { subscription, unpaid } = detail;
  const { customer_id, payment_method_id: current, currency } = subscription;
  const form = useForm({ payment_method_id: current ?? "" });
  const { data: cards, error } = useQuery({
    queryKey: ["payment-methods", mode, customer_id],
    queryFn: async ({ signal }) => {
      const query = { customer_id, status: "ACTIVE" as const, limit: "50" };
      return (await callApi("GET /v1/payment-methods", { mode, query: query as never, signal })).data.data;
    },
  });
  const chosen = form.values.payment_method_id;
  const isSame = chosen === current;
  const charges = unpaid !== null && subscription.status !== "PAUSED";
  const amount = unpaid && moneyText(unpaid.invoice.amount_due, currency);
  return (
    <FormDialog
      form={form}
      title="Change card"
      description="Cards on file of this customer."
      submitLabel={charges && !isSame ? `Use this card and charge ${amount}` : "Use this card"}
      disabled={isSame}
      onSubmit={() => update({ payment_method_id: chosen }, "Card changed")}
      onClose={onClose}
    >
      {error && <Banner tone="red">{failureText(error)}</Banner>}
      {!cards && !error && <Skeleton className="h-24 w-full" />}
      {cards && (
        <RadioCards
          legend="Card"
          hideLegend
          value={chosen}
          onChange={form.choice("payment_method_id").onChange}
          options={cards.map((card) => ({
            value: card.id,
            label: methodText(card),
            description: card.id === current ? "Charged now" : undefined,
          }))}
        />
      )}
      {cards?.every(({ id }) => id === current) && (
        <p className="text-soft">
          The customer has no other card on file. Store one with the API, or send them a link to the portal.
        </p>
      )}
      {charges && !isSame && <p>The unpaid {amount} is charged to it right away.</p>}
    </FormDialog>
  );
}

/** "Visa •••• 4242, expires 12/2031" */
export function methodText({ card }: PaymentMethod): string {
  if (!card) return "A card";
  return `${cardText(card.brand, card.last4)}, expires ${String(card.exp_month).padStart(2, "0")}/${card.exp_year}`;
}

/** Moves the end of a trial, from which periods are counted. */
export function TrialDialog(props: SubscriptionDialogProps) {
  const { detail, onClose } = props;
  const { merchant } = useDashboard();
  const zone = useTimeZone();
  const update = useUpdate(props);
  const { subscription, next_invoice: next } = detail;
  const end = subscription.trial_end_at ?? subscription.anchor_at;
  const initial = localTime(end, merchant.timeZone);
  const form = useForm(
    { trial_end_at: initial },
    {
      check: ({ trial_end_at }) => ({
        trial_end_at: instantIn(merchant.timeZone, trial_end_at) === null ? "Enter a date and a time." : undefined,
      }),
    },
  );
  const at = instantIn(merchant.timeZone, form.values.trial_end_at);
  const day = at && dateText(new Date(at), zone);
  return (
    <FormDialog
      form={form}
      title="Extend the trial"
      submitLabel={day === null ? "Extend" : `End the trial on ${day}`}
      disabled={form.values.trial_end_at === initial}
      onSubmit={() => update({ trial_end_at: at ?? "" }, `The trial ends on ${day}`)}
      onClose={onClose}
    >
      <TextField
        label="The trial ends"
        hint={`In ${merchant.timeZone}, the time zone of your business.`}
        type="datetime-local"
        {...form.field("trial_end_at")}
      />
      {next && day !== null && (
        <p>
          Then {moneyText(next.amount_due, next.currency)} is charged for the first period. Later periods are counted
          from that day.
        </p>
      )}
    </FormDialog>
  );
}
