"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { callApi, failureText } from "@/lib/client/api";
import type { NoticedEndpoint } from "@/lib/contract/webhooks/webhook-endpoint";

/** Shown on every page until the user verifies their address: the restrictions, and how to lift them. */
export function UnverifiedBanner({ email, days }: { email: string; days: number }) {
  const [state, setState] = useState<"idle" | "sending" | "sent">("idle");
  const [failure, setFailure] = useState<string | null>(null);

  async function resend() {
    setState("sending");
    setFailure(null);
    try {
      await callApi("POST /api/dashboard/account/verification");
      setState("sent");
    } catch (error) {
      setState("idle");
      setFailure(failureText(error));
    }
  }

  return (
    <Banner tone="amber" title="Confirm your e-mail address" className="mb-5">
      <p>
        We sent a link to <span className="[overflow-wrap:anywhere]">{email}</span>. Until you open it, you can use test
        mode in this browser only. Live mode and invitations come afterwards.
        {days > 0 && ` Unconfirmed accounts are closed ${days} days after sign-up.`}
      </p>
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1" aria-live="polite">
        {state === "sent" ? (
          <span>Sent. Only the newest link works.</span>
        ) : (
          <Button size="sm" pending={state === "sending"} onClick={resend}>
            Send it again
          </Button>
        )}
        {failure && <span className="text-red">{failure}</span>}
      </div>
    </Banner>
  );
}

/** Endpoints that have failed for days or were disabled for it. Omitted on webhook pages, which show more. */
export function WebhookBanner({ path, endpoints }: { path: string; endpoints: readonly NoticedEndpoint[] }) {
  const pathname = usePathname();
  const [first, ...more] = endpoints;
  if (!first || pathname.startsWith(path)) return null;
  const disabled = endpoints.filter(({ notice }) => notice === "disabled").length;
  const title =
    disabled > 0
      ? `We disabled ${disabled === 1 ? "a webhook endpoint" : `${disabled} webhook endpoints`}`
      : `${more.length === 0 ? "A webhook endpoint has" : `${endpoints.length} webhook endpoints have`} failed for three days`;
  return (
    <Banner tone="amber" title={title} className="mb-5">
      {disabled > 0 ? "Your server receives no events there. " : "We disable an endpoint after five days of failures. "}
      <Link href={more.length === 0 ? `${path}/${first.id}` : path} className="underline underline-offset-2">
        View its deliveries
      </Link>
    </Banner>
  );
}
