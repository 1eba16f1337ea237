"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { Clock, CreditCard, RefreshCw } from "lucide-react";
import Link from "next/link";
import { useRef, useState } from "react";
import { type Control, useForm, useWatch } from "react-hook-form";
import { FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Money } from "@/components/ui/card";
import { LiveFieldset, UnsavedGuard } from "@/components/ui/form";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { ApiError, callApi, failureText } from "@/lib/client/api";
import {
  minorTyped,
  type SessionFormValues,
  sessionFormErrors,
  sessionFormSchema,
  sessionFormValues,
} from "@/lib/client/checkout/session-form";
import { newIdempotencyKey } from "@/lib/client/payments/money-ports";
import type { ClientSession, CreateClientSessionBody } from "@/lib/contract/checkout/client-session";
import type { CurrencyOption } from "@/lib/contract/format";
import type { Mode } from "@/lib/contract/transactions/words";
import { CreatedSession } from "./created-session";
import type { PlanOption } from "./plan-picker";
import { CustomerFields, PlaceFields, PriceFields, type SessionForm } from "./session-fields";

type NewSessionProps = {
  mode: Mode;
  baseUrl: string;
  merchantName: string;
  /** Chosen at first. */
  planId: string | null;
  plans: readonly PlanOption[];
  currency: string;
  currencies: readonly CurrencyOption[];
};

/** The form, and then what it made. */
export function NewSession(props: NewSessionProps) {
  const { mode, baseUrl, plans } = props;
  const [session, setSession] = useState<ClientSession | null>(null);
  const crumbs = [{ label: "Checkout", href: `/${mode}/checkout` }];
  if (session === null) {
    return (
      <>
        <PageHeader title="New payment link" crumbs={crumbs} />
        <SessionFormView {...props} onCreated={setSession} />
      </>
    );
  }
  const { iframe_url: link, client_session_token: token } = session;
  if (link === null || token === null) throw new Error("the answer that creates a session shows its token");
  return (
    <>
      <PageHeader title="Payment link ready" crumbs={crumbs} />
      <CreatedSession
        session={session}
        link={link}
        token={token}
        planName={plans.find(({ id }) => id === session.plan_id)?.name ?? null}
        mode={mode}
        baseUrl={baseUrl}
        onAnother={() => setSession(null)}
      />
    </>
  );
}

function SessionFormView({
  mode,
  merchantName,
  planId,
  plans,
  currency,
  currencies,
  onCreated,
}: NewSessionProps & { onCreated: (session: ClientSession) => void }) {
  // One key for the form, so that a double click and a retry after a lost answer make one session.
  const key = useRef<string>(null);
  key.current ??= newIdempotencyKey();
  const [failure, setFailure] = useState<string | null>(null);
  const form: SessionForm = useForm({
    resolver: zodResolver(sessionFormSchema),
    defaultValues: sessionFormValues(currency, planId),
    mode: "onTouched",
  });
  const { isDirty, isSubmitting } = form.formState;

  async function create(body: CreateClientSessionBody) {
    setFailure(null);
    try {
      const { data } = await callApi<ClientSession>({
        ...{ method: "POST", path: "/v1/client-sessions", mode, body },
        ...(key.current && { idempotencyKey: key.current }),
      });
      onCreated(data);
    } catch (error) {
      // An answer of these kinds belongs to the key for good: what is sent next is another request.
      if (error instanceof ApiError && (error.status === 422 || error.code === "idempotency_key_reused")) {
        key.current = newIdempotencyKey();
      }
      refused(error);
    }
  }

  function refused(error: unknown) {
    if (!(error instanceof ApiError)) return setFailure(failureText(error));
    const named = error.errors.length > 0 ? error.errors : [{ param: error.param ?? "", message: error.detail }];
    const { fields, others } = sessionFormErrors(named, form.getValues());
    for (const [index, { field, message }] of fields.entries()) {
      form.setError(field, { type: "server", message }, { shouldFocus: index === 0 });
    }
    if (fields.length === 0 || others.length > 0) setFailure(failureText(error));
  }

  return (
    <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <form
        onSubmit={(event) => form.handleSubmit(create)(event)}
        noValidate
        aria-label="New payment link"
        className="min-w-0"
      >
        <LiveFieldset className="flex min-w-0 flex-col gap-5">
          <FormFailure failure={{ text: failure }} />
          <PriceFields form={form} plans={plans} currencies={currencies} />
          <CustomerFields form={form} />
          <PlaceFields form={form} />
          <div className="flex flex-wrap gap-2 border-t pt-4">
            <Button type="submit" variant="primary" pending={isSubmitting}>
              {mode === "live" ? "Create live payment link" : "Create payment link"}
            </Button>
            <Link href={`/${mode}/checkout`} className={buttonStyles()}>
              Cancel
            </Link>
          </div>
        </LiveFieldset>
      </form>
      <div className="lg:sticky lg:top-16">
        <SessionSummary control={form.control} plans={plans} merchantName={merchantName} />
      </div>
      <UnsavedGuard dirty={isDirty} />
    </div>
  );
}

type SessionSummaryProps = {
  control: Control<SessionFormValues, unknown, CreateClientSessionBody>;
  plans: readonly PlanOption[];
  merchantName: string;
};

/** What the shopper is asked for, keystroke by keystroke, and what every session is. */
function SessionSummary({ control, plans, merchantName }: SessionSummaryProps) {
  const values = useWatch({ control }) as SessionFormValues;
  const plan = values.sell === "plan" ? plans.find(({ id }) => id === values.plan_id) : undefined;
  const minor = values.sell === "plan" ? (plan?.amount ?? null) : minorTyped(values);
  const manual = values.capture_method === "manual";
  return (
    <section aria-label="What the shopper pays" className="rounded-lg border bg-raised">
      <div className="border-b px-4 py-4" aria-live="polite">
        <p className="text-[13px] text-soft">Pay {merchantName}</p>
        <p className="font-semibold text-2xl leading-9" data-testid="summary-amount">
          {minor === null ? (
            <span className="text-soft">–</span>
          ) : (
            <Money amount={minor} currency={plan?.currency ?? values.currency} />
          )}
        </p>
        {plan && <p className="text-[13px] [overflow-wrap:anywhere]">{plan.name}</p>}
      </div>
      <ul className="flex flex-col gap-2 px-4 py-3 text-[13px] text-soft [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0 [&>li]:flex [&>li]:gap-2.5">
        <li>
          <CreditCard aria-hidden="true" />
          {manual ? "One payment, which you capture within 7 days." : "One payment, captured at once."}
        </li>
        <li>
          <Clock aria-hidden="true" />
          Open for 24 hours; you can cancel it before.
        </li>
        <li>
          <RefreshCw aria-hidden="true" />
          Five tries, should a card be declined.
        </li>
      </ul>
    </section>
  );
}
