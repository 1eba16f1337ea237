"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button";
import { FormDialog, TextareaField } from "@/components/ui/form";
import type { ButtonSize } from "@/components/ui/styles";
import { toast } from "@/components/ui/toast";
import { callApi, type EndpointAddress, type PathParams } from "@/lib/client/api";
import { useForm } from "@/lib/client/use-form";

type ReasonAddress = Extract<EndpointAddress, `POST /api/support/merchants/${string}`>;

type ReasonDialogProps = {
  /** Label of the button that opens it. */
  label: string;
  size?: ButtonSize;
  title: string;
  /** Explains the effect. */
  text: ReactNode;
  confirmLabel: string;
  danger?: boolean;
  /** Endpoint that receives the reason. */
  address: ReasonAddress;
  params: PathParams<ReasonAddress>;
  done: string;
};

/** An action that requires a reason, which is recorded and visible to the merchant. */
export function ReasonDialog({ label, size = "md", ...rest }: ReasonDialogProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size={size} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && <OpenReasonDialog {...rest} onClose={() => setOpen(false)} />}
    </>
  );
}

type OpenProps = Omit<ReasonDialogProps, "label" | "size"> & { onClose: () => void };

function OpenReasonDialog({ text, confirmLabel, address, params, done, ...dialog }: OpenProps) {
  const router = useRouter();
  const form = useForm(
    { reason: "" },
    { check: ({ reason }) => ({ reason: reason.trim() ? undefined : "Enter a reason." }) },
  );

  async function act() {
    await callApi(address, { params, body: { reason: form.values.reason.trim() } });
    toast.success(done);
    dialog.onClose();
    router.refresh();
  }

  return (
    <FormDialog {...dialog} form={form} submitLabel={confirmLabel} onSubmit={act}>
      <div className="text-soft">{text}</div>
      <TextareaField
        label="Reason"
        hint="Recorded, and visible to the merchant."
        {...form.field("reason")}
        rows={3}
        maxLength={500}
        required
      />
    </FormDialog>
  );
}
