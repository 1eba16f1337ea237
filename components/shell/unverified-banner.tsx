"use client";

import { useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { callApi } from "@/lib/client/api";
import { failureText } from "@/lib/client/failure-text";

/** On every page of somebody who has not proved their address: what is still closed, and how to open it. */
export function UnverifiedBanner({ email, days }: { email: string; days: number }) {
  const [state, setState] = useState<"idle" | "sending" | "sent">("idle");
  const [failure, setFailure] = useState<string | null>(null);

  async function resend() {
    setState("sending");
    setFailure(null);
    try {
      await callApi({ method: "POST", path: "/api/dashboard/account/verification" });
      setState("sent");
    } catch (error) {
      setState("idle");
      setFailure(failureText(error));
    }
  }

  return (
    <Banner tone="amber" title="Confirm your e-mail address" className="mb-5">
      <p>
        We sent a link to <span className="[overflow-wrap:anywhere]">{email}</span>. Until you open it you can try
        everything in test mode; inviting people, live keys and live payments wait, and no other browser can sign in.
        {days > 0 && ` An account whose address nobody confirms is closed ${days} days after it was opened.`}
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
