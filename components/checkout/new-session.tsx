"use client";

import { Clock, CreditCard, RefreshCw } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Money } from "@/components/ui/card";
import { Form } from "@/components/ui/form";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { callApi } from "@/lib/client/api";
import {
  placeSessionRefusal,
  readSession,
  type SessionFormValues,
  sessionFormValues,
} from "@/lib/client/checkout/session-form";
import { useForm, useOneKey } from "@/lib/client/use-form";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import type { CurrencyOption } from "@/lib/contract/format";
import type { PlanOption } from "@/lib/contract/plans/schedule";
import type { Mode } from "@/lib/contract/transactions/words";
import { minorTyped } from "@/lib/contract/typed-amount";
import { CreatedSession } from "./created-session";
import { CustomerFields, PlaceFields, SessionPrice } from "./session-fields";

type NewSessionProps = {
  mode: Mode;
  baseUrl: string;
  merchantName: string;
  /** Preselected plan. */
  planId: string | null;
  plans: readonly PlanOption[];
  currency: string;
  currencies: readonly CurrencyOption[];
};

/** The form, then the created session. */
export function NewSession(props: NewSessionProps) {
  const { mode, baseUrl, plans } = props;
  const [session, setSession] = useState<ClientSession | null>(null);
  const crumbs = [{ label: "Sessions", href: `/${mode}/checkout` }];
  if (session === null) {
    return (
      <>
        <PageHeader title="New session" crumbs={crumbs} />
        <SessionForm {...props} onCreated={setSession} />
      </>
    );
  }
  const { iframe_url: link, client_session_token: token } = session;
  if (link === null || token === null) throw new Error("the response that creates a session includes its token");
  return (
    <>
      <PageHeader title="Session ready" crumbs={crumbs} />
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

type SessionFormProps = NewSessionProps & { onCreated: (session: ClientSession) => void };

function SessionForm({ mode, merchantName, planId, plans, currency, currencies, onCreated }: SessionFormProps) {
  const sendOnce = useOneKey();
  const form = useForm(sessionFormValues(currency, planId), {
    check: (values) => readSession(values).errors,
    place: placeSessionRefusal,
  });

  async function submit() {
    const { body } = readSession(form.values);
    if (body === null) return;
    const send = (idempotencyKey: string) => callApi("POST /v1/client-sessions", { mode, body, idempotencyKey });
    onCreated((await sendOnce(send)).data);
  }

  return (
    <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <Form form={form} onSubmit={submit} live guarded aria-label="New session">
        <SessionPrice form={form} plans={plans} currencies={currencies} />
        <CustomerFields form={form} />
        <PlaceFields form={form} />
        <div className="flex flex-wrap gap-2 border-t pt-4">
          <Button type="submit" variant="primary" pending={form.pending}>
            {mode === "live" ? "Create live session" : "Create session"}
          </Button>
          <Link href={`/${mode}/checkout`} className={buttonStyles()}>
            Cancel
          </Link>
        </div>
      </Form>
      <div className="lg:sticky lg:top-16">
        <SessionSummary values={form.values} plans={plans} merchantName={merchantName} />
      </div>
    </div>
  );
}

type SessionSummaryProps = { values: SessionFormValues; plans: readonly PlanOption[]; merchantName: string };

/** Live summary of the session being created. */
function SessionSummary({ values, plans, merchantName }: SessionSummaryProps) {
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
          {manual ? "One payment, which you capture yourself within 7 days." : "One payment, captured immediately."}
        </li>
        <li>
          <Clock aria-hidden="true" />
          Open for 24 hours; you can cancel it before.
        </li>
        <li>
          <RefreshCw aria-hidden="true" />
          Up to five attempts.
        </li>
      </ul>
    </section>
  );
}
