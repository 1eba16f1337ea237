"use client";

import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";
import { useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { callApi, failureText } from "@/lib/client/api";
import { otherModePath } from "@/lib/client/shell/other-mode-path";

/** On every page of test mode, always in sight: none of this is money. */
export function TestBanner() {
  const pathname = usePathname();
  const search = useSearchParams();
  return (
    <section aria-label="Test mode" className="test-banner">
      <p>
        <strong className="font-semibold">Test mode.</strong>{" "}
        <span className="max-sm:sr-only">Sandbox cards only. </span>
        No real money moves.
      </p>
      <Link href={otherModePath(pathname, search, "live")} prefetch={false}>
        Go to live
      </Link>
    </section>
  );
}

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
