"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import Link from "next/link";
import { useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { LiveFieldset } from "@/components/forms/live-fieldset";
import { UnsavedGuard } from "@/components/forms/unsaved-guard";
import { Button, buttonStyles } from "@/components/ui/button";
import { FormFailure } from "@/components/ui/form-failure";
import { PageHeader } from "@/components/ui/page-header";
import { ApiError, callApi } from "@/lib/client/api";
import { sessionFormErrors, sessionFormSchema, sessionFormValues } from "@/lib/client/checkout/session-form";
import type { CurrencyOption } from "@/lib/client/currency-options";
import { failureText } from "@/lib/client/failure-text";
import { newIdempotencyKey } from "@/lib/client/money-ports";
import type { ClientSession, CreateClientSessionBody } from "@/lib/contract/client-session";
import type { Mode } from "@/lib/contract/transaction-words";
import { CreatedSession } from "./created-session";
import type { PlanOption } from "./plan-picker";
import { CustomerFields, PlaceFields, PriceFields, type SessionForm } from "./session-fields";
import { SessionSummary } from "./session-summary";

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
