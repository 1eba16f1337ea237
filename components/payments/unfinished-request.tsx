"use client";

import { useRouter } from "next/navigation";
import { toast } from "@/components/ui/toast";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useKeyedAction } from "@/lib/client/payments/keyed-action";
import type { RequestRecord } from "@/lib/client/payments/keyed-request";
import { KeyedDialog } from "./keyed-dialog";

const PAGES: Readonly<Record<string, string>> = { subscription: "subscriptions", invoice: "invoices" };

/** A request without a known outcome whose own dialog was closed or lost by a reload. */
export function UnfinishedRequest({ record, onClose }: { record: RequestRecord; onClose: () => void }) {
  const { mode } = useDashboard();
  const router = useRouter();
  const action = useKeyedAction<unknown>({
    subject: record.subject,
    title: record.title,
    request: () => record.request,
    // Another tab may have removed it since: only its key tells whether it went through.
    left: record,
    onForget: onClose,
    onChange: () => router.refresh(),
    onDone: (data) => {
      const { object, id } = data as { object: string; id: string };
      const page = PAGES[object];
      if (page) router.push(`/${mode}/${page}/${id}`);
      toast.success("It went through");
      onClose();
    },
  });
  return (
    <KeyedDialog action={action} submitLabel="Send it again" onClose={onClose}>
      <p>Nothing happened: the request was refused.</p>
    </KeyedDialog>
  );
}
