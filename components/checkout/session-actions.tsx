"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import type { Mode } from "@/lib/contract/transactions/words";

/** Closes an open session, once it is clear what that means. */
export function CancelSession({ id, mode }: { id: string; mode: Mode }) {
  const router = useRouter();
  const [open, setOpen] = useState(false);
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  async function cancel() {
    setPending(true);
    setFailure(null);
    try {
      await callApi<ClientSession>({ method: "POST", path: `/v1/client-sessions/${id}/cancel`, mode, body: {} });
      setOpen(false);
      toast.success("Session cancelled");
      router.refresh();
    } catch (error) {
      setFailure(failureText(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <>
      <Button onClick={() => setOpen(true)}>Cancel session</Button>
      <Dialog
        open={open}
        onOpenChange={(next) => {
          setFailure(null);
          setOpen(next);
        }}
      >
        <DialogContent
          title="Cancel this session?"
          dismissible={!pending}
          footer={
            <>
              <Button onClick={() => setOpen(false)} disabled={pending}>
                Keep it open
              </Button>
              <Button variant="danger" pending={pending} onClick={cancel} data-autofocus>
                Cancel session
              </Button>
            </>
          }
        >
          <ul className="flex list-disc flex-col gap-1 pl-4">
            <li>Its link and its embedded form take no more payments from now on.</li>
            <li>Whoever opens the link sees that it was cancelled.</li>
            <li>It cannot be opened again; you can create another one.</li>
          </ul>
          <FormFailure failure={{ text: failure }} className="mt-4" />
        </DialogContent>
      </Dialog>
    </>
  );
}

/** Asks for the page anew while something may still happen: often while a payment is under way, and never in the dark. */
export function FollowSession({ everyMs }: { everyMs: number }) {
  const router = useRouter();
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") router.refresh();
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [router, everyMs]);
  return null;
}
