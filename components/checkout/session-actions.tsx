"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { FormDialog } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useForm } from "@/lib/client/use-form";
import type { Mode } from "@/lib/contract/transactions/words";

/** Cancels an open session after confirmation. */
export function CancelSession({ id, mode }: { id: string; mode: Mode }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Cancel session</Button>
      {open && <CancelDialog id={id} mode={mode} onClose={() => setOpen(false)} />}
    </>
  );
}

function CancelDialog({ id, mode, onClose }: { id: string; mode: Mode; onClose: () => void }) {
  const router = useRouter();
  const form = useForm({});

  async function cancel() {
    await callApi("POST /v1/client-sessions/{id}/cancel", { mode, params: { id } });
    onClose();
    toast.success("Session cancelled");
    router.refresh();
  }

  return (
    <FormDialog
      form={form}
      title="Cancel this session?"
      submitLabel="Cancel session"
      cancelLabel="Keep it open"
      danger
      focus="submit"
      onSubmit={cancel}
      onClose={onClose}
    >
      <ul className="flex list-disc flex-col gap-1 pl-4">
        <li>Its link and embedded form take no more payments.</li>
        <li>Visitors see that it was cancelled.</li>
        <li>It cannot be reopened, but you can create another one.</li>
      </ul>
    </FormDialog>
  );
}
