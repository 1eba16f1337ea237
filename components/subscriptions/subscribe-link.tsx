"use client";

import { useState } from "react";
import { LinkCard } from "@/components/checkout/link-card";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { callApi, failureText } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useOneKey } from "@/lib/client/use-form";
import type { Plan } from "@/lib/contract/plans/plan";

type SubscribeLinkProps = {
  /** The merchant's own id. */
  customer: string;
  email: string;
  plan: Plan | undefined;
  /** Why a link can't begin this subscription, or null. */
  reason: string | null;
};

/** For customers without a card on file: a link where they enter one, which starts the subscription. */
export function SubscribeLink({ customer, email, plan, reason }: SubscribeLinkProps) {
  const { mode, can } = useDashboard();
  const sendOnce = useOneKey();
  const [link, setLink] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);

  async function make(planId: string) {
    setPending(true);
    setFailure(null);
    const body = { plan_id: planId, customer_id: customer, ...(email !== "" && { customer_email: email }) };
    try {
      const { data } = await sendOnce((idempotencyKey) =>
        callApi("POST /v1/client-sessions", { mode, body, idempotencyKey }),
      );
      setLink(data.iframe_url);
    } catch (error) {
      setFailure(failureText(error));
    } finally {
      setPending(false);
    }
  }

  if (link !== null) {
    return (
      <LinkCard
        title="Link for the customer"
        description="It is shown only here, and valid for 24 hours. The subscription begins when the customer enters a card."
        link={link}
        mode={mode}
      />
    );
  }
  return (
    <Banner
      tone="neutral"
      title="No card on file"
      actions={
        can("client_session.create") &&
        plan &&
        reason === null && (
          <Button size="sm" pending={isPending} onClick={() => make(plan.id)}>
            Make a link
          </Button>
        )
      }
    >
      <p>
        This customer has no card that can be charged.{" "}
        {plan === undefined
          ? "Choose a plan to send them a link where they enter one."
          : (reason ?? "Send them a link where they enter one. It shows what is charged and starts the subscription.")}
      </p>
      {failure && <p className="mt-1 text-red">{failure}</p>}
    </Banner>
  );
}
