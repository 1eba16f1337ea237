"use client";

import { Link2 } from "lucide-react";
import { Button } from "@/components/ui/button";
import { useCopied } from "@/components/ui/hooks";
import { toast } from "@/components/ui/toast";
import { usePress } from "@/components/ui/use-press";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";

/** Creates a link to the customer's portal and copies it. Nothing without the permission. */
export function PortalLink({ customerId }: { customerId: string }) {
  const { mode, can } = useDashboard();
  const [, copyText] = useCopied();
  const { press, pending } = usePress(async () => {
    const { data } = await callApi("POST /v1/portal-sessions", { mode, body: { customer_id: customerId } });
    if (await copyText(data.url)) {
      toast.success("Portal link copied", { description: "Send it to the customer: it works for one hour." });
    } else toast.error("Your browser didn’t allow copying.", { description: data.url });
  });
  if (!can("subscription.write")) return null;
  return (
    <Button size="sm" pending={pending} icon={<Link2 aria-hidden="true" />} onClick={() => press()}>
      Copy portal link
    </Button>
  );
}
