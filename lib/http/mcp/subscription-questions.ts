/** Questions to the user before a subscription's or an invoice's money moves. */
import type { Endpoint } from "@/lib/contract/endpoint";
import { instantOf } from "@/lib/contract/fields";
import { cardText, fullTimeText, moneyTextWithCode } from "@/lib/contract/format";
import { getInvoice, listInvoices, payInvoice } from "@/lib/contract/invoices/endpoints";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import { getPaymentMethod } from "@/lib/contract/payment-methods/endpoints";
import type { PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import { getPlan } from "@/lib/contract/plans/endpoints";
import type { Plan } from "@/lib/contract/plans/plan";
import { everyText, priceText, termsOf } from "@/lib/contract/plans/schedule";
import {
  cancelSubscription,
  changeSubscriptionPlan,
  createSubscription,
  getSubscription,
  previewSubscriptionChange,
  resumeSubscription,
  retrySubscription,
} from "@/lib/contract/subscriptions/endpoints";
import type {
  CancelSubscriptionBody,
  ChangePlanBody,
  CreateSubscriptionBody,
  Subscription,
} from "@/lib/contract/subscriptions/subscription";
import { requireAction } from "@/lib/domain/subscriptions/actions";
import { type Call, callEndpoint, type EndpointInput, type EndpointResponse, invalid } from "./endpoint-calls";

/** `amount`: put into the body, so that exactly this moves; null if the body has none. */
export type Question = { readonly text: string; readonly amount: number | null; readonly button: string };

/**
 * The question for an endpoint of subscriptions or invoices; null for any other endpoint. A response is an
 * error to pass on. Names that people wrote are left out: they could mislead the user.
 */
export async function billingQuestion(
  call: Call,
  endpoint: Endpoint,
  { id }: EndpointInput,
  body: unknown,
): Promise<Question | EndpointResponse | null> {
  switch (endpoint.name) {
    case createSubscription.name:
      return ofNewSubscription(call, body as CreateSubscriptionBody);
    case payInvoice.name:
      return about(call, getInvoice, id, (invoice: Invoice) => ofInvoice(invoice));
    case cancelSubscription.name:
      return about(call, getSubscription, id, (found: Subscription) => ofCancel(found, body as CancelSubscriptionBody));
    case resumeSubscription.name:
      return about(call, getSubscription, id, ofResume);
    case changeSubscriptionPlan.name:
      return about(call, getSubscription, id, (found: Subscription) => ofChange(call, found, body as ChangePlanBody));
    case retrySubscription.name:
      return about(call, getSubscription, id, (found: Subscription) => ofRetry(call, found));
    default:
      return null;
  }
}

type Asked = Question | EndpointResponse;

/** Reads the object first, with the key's permissions. */
async function about<Found>(
  call: Call,
  endpoint: Endpoint,
  id: string | undefined,
  ask: (found: Found) => Asked | Promise<Asked>,
): Promise<Asked> {
  const response = await callEndpoint(call, endpoint, { id });
  return response.status >= 400 ? response : ask(response.data as Found);
}

async function ofNewSubscription(call: Call, body: CreateSubscriptionBody): Promise<Asked> {
  const { plan_id, payment_method_id, quantity, trial_end_at } = body;
  return about(call, getPlan, plan_id, (plan: Plan) =>
    about(call, getPaymentMethod, payment_method_id, ({ card }: PaymentMethod) => {
      const price = priceText(termsOf(plan), plan.currency, moneyTextWithCode);
      const units = quantity > 1 ? `, ${quantity} times that` : "";
      const trial = trial_end_at === null ? "" : ` A trial ends on ${fullTimeText(instantOf(trial_end_at), "UTC")}.`;
      const source = `payment method ${payment_method_id} (${cardText(card?.brand ?? null, card?.last4 ?? null)})`;
      return {
        text: `Subscribe the owner of ${source} to plan ${plan_id}: ${price}${units}?${trial} The card is charged until the subscription is cancelled.`,
        amount: null,
        button: "Yes, subscribe",
      };
    }),
  );
}

function ofCancel(found: Subscription, { refund }: CancelSubscriptionBody): Question {
  requireAction(found.status, "cancel");
  const back = refund === "prorated" ? " The unused part of the paid period is refunded to the card." : "";
  return {
    text: `Cancel ${named(found)} now? It ends at once and can't be restored, and unpaid invoices become void.${back}`,
    amount: null,
    button: "Yes, cancel it now",
  };
}

function ofResume(found: Subscription): Question {
  requireAction(found.status, "resume");
  const price = priceOf(found);
  return {
    text: `Resume ${named(found)}? A new period begins now, and its card is charged ${price}, less any credit.`,
    amount: null,
    button: `Yes, charge ${price}`,
  };
}

async function ofChange(call: Call, found: Subscription, body: ChangePlanBody): Promise<Asked> {
  return about(call, getPlan, body.plan_id, async () => {
    const response = await callEndpoint(call, previewSubscriptionChange, { id: found.id, body });
    if (response.status >= 400) return response;
    const { amount_due, currency, period } = response.data as Invoice;
    const money = moneyTextWithCode(amount_due, currency);
    const to = `plan ${body.plan_id}, quantity ${body.quantity ?? found.quantity}`;
    if (body.when === "now") {
      return {
        text: `Change ${named(found)} to ${to} now? Its card is charged about ${money} at once.`,
        amount: null,
        button: "Yes, change it now",
      };
    }
    return {
      text: `Change ${named(found)} to ${to} on ${fullTimeText(new Date(period.start_at), "UTC")}? Its card is then charged ${money} for the period.`,
      amount: null,
      button: "Yes, change it then",
    };
  });
}

async function ofRetry(call: Call, found: Subscription): Promise<Asked> {
  requireAction(found.status, "retry");
  const query = { subscription_id: found.id, status: "OPEN", limit: 50 };
  const response = await callEndpoint(call, listInvoices, { query });
  if (response.status >= 400) return response;
  const oldest = (response.data as { data: Invoice[] }).data.at(-1);
  if (!oldest) throw invalid("id", "The subscription has no unpaid invoice.");
  return ofInvoice(oldest);
}

function ofInvoice({ id, number, subscription_id, amount_due, currency }: Invoice): Question {
  const money = moneyTextWithCode(amount_due, currency);
  return {
    text: `Charge ${money} for invoice ${number ?? id} of subscription ${subscription_id} to its card now? A charge can't be undone, only refunded.`,
    amount: null,
    button: `Yes, charge ${money}`,
  };
}

const priceOf = ({ plan, quantity }: Subscription): string => moneyTextWithCode(plan.amount * quantity, plan.currency);

const named = (found: Subscription): string =>
  `subscription ${found.id} (${found.status}, ${priceOf(found)} ${everyText(found.plan.interval)}, since ${fullTimeText(new Date(found.created_at), "UTC")})`;
