import { readClock } from "@/db/queries/clock";
import { payInvoiceBody } from "@/lib/contract/invoices/invoice";
import * as bodies from "@/lib/contract/subscriptions/subscription";
import type { Context, Reply } from "@/lib/domain/context";
import { voidInvoice } from "@/lib/domain/invoices/end-invoice";
import { payInvoice, retrySubscription } from "@/lib/domain/invoices/pay-invoice";
import { cancelSubscription, pauseSubscription, updateSubscription } from "@/lib/domain/subscriptions/actions";
import { changeSubscriptionPlan, resumeSubscription } from "@/lib/domain/subscriptions/change-plan";
import { createSubscription } from "@/lib/domain/subscriptions/create";
import { requireRunningClock } from "@/lib/domain/test-clock/test-clock";

type Verb = {
  readonly endpoint: string;
  readonly of: "subscriptions" | "invoices";
  readonly call: (ctx: Context, id: string, body: object) => Promise<Reply>;
};

/** Requests about subscriptions and invoices, by what the simulation calls them. */
const VERBS = {
  subscribe: {
    endpoint: "createSubscription",
    of: "subscriptions",
    call: (ctx, _, body) => createSubscription(ctx, bodies.createSubscriptionBody.parse(body)),
  },
  update: {
    endpoint: "updateSubscription",
    of: "subscriptions",
    call: (ctx, id, body) => updateSubscription(ctx, { ...bodies.updateSubscriptionBody.parse(body), id }),
  },
  cancel: {
    endpoint: "cancelSubscription",
    of: "subscriptions",
    call: (ctx, id, body) => cancelSubscription(ctx, { ...bodies.cancelSubscriptionBody.parse(body), id }),
  },
  change: {
    endpoint: "changeSubscriptionPlan",
    of: "subscriptions",
    call: (ctx, id, body) => changeSubscriptionPlan(ctx, { ...bodies.changePlanBody.parse(body), id }),
  },
  pause: { endpoint: "pauseSubscription", of: "subscriptions", call: (ctx, id) => pauseSubscription(ctx, { id }) },
  resume: { endpoint: "resumeSubscription", of: "subscriptions", call: (ctx, id) => resumeSubscription(ctx, { id }) },
  retry: { endpoint: "retrySubscription", of: "subscriptions", call: (ctx, id) => retrySubscription(ctx, { id }) },
  pay: {
    endpoint: "payInvoice",
    of: "invoices",
    call: (ctx, id, body) => payInvoice(ctx, { ...payInvoiceBody.parse(body), id }),
  },
  void: { endpoint: "voidInvoice", of: "invoices", call: (ctx, id) => voidInvoice(ctx, { id }) },
} satisfies Record<string, Verb>;
export type BillingVerb = keyof typeof VERBS;

/** A request about a subscription or an invoice; `target` is empty for a new one. */
export type BillingAsk = { readonly what: "billing"; readonly verb: BillingVerb; readonly target: string };

/** The endpoint and the path of a request. */
export function routeOf({ verb, target }: BillingAsk): { endpoint: string; path: string } {
  const { endpoint, of } = VERBS[verb];
  return { endpoint, path: `/v1/${of}${target === "" ? "" : `/${target}/${verb}`}` };
}

/** Sends a request as the pipeline does: with the environment's clock, unless that is advancing. */
export async function callBilling(given: Context, { verb, target }: BillingAsk, body: object): Promise<Reply> {
  const { sql } = given.service.db.within(given.environment.id);
  const clock = await readClock(sql, given.environment.id);
  const ctx = await requireRunningClock({ ...given, environment: { ...given.environment, clock } });
  return VERBS[verb].call(ctx, target, body);
}
