"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useId, useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { Field, Textarea } from "@/components/ui/field";
import type { ButtonSize, ButtonVariant } from "@/components/ui/styles";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";

type ReasonDialogProps = {
  /** On the button that opens it. */
  label: string;
  variant?: ButtonVariant;
  size?: ButtonSize;
  title: string;
  /** What will happen. */
  text: ReactNode;
  confirmLabel: string;
  danger?: boolean;
  /** Where the reason is sent. */
  path: string;
  done: string;
};

/** An act that needs a reason, which is kept and which the merchant sees. */
export function ReasonDialog({ label, variant = "secondary", size = "md", ...rest }: ReasonDialogProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant={variant} size={size} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && <OpenReasonDialog {...rest} onClose={() => setOpen(false)} />}
    </>
  );
}

type OpenProps = Omit<ReasonDialogProps, "label" | "variant" | "size"> & { onClose: () => void };

function OpenReasonDialog({ title, text, confirmLabel, danger = false, path, done, onClose }: OpenProps) {
  const router = useRouter();
  const formId = useId();
  const [reason, setReason] = useState("");
  const { pending, failure, run, refuse } = useSubmit(["reason"]);

  const act = async () => {
    await callApi({ method: "POST", path, body: { reason: reason.trim() } });
    toast.success(done);
    onClose();
    router.refresh();
  };

  return (
    <Dialog open onOpenChange={(open) => open || onClose()}>
      <DialogContent
        title={title}
        dismissible={!pending}
        footer={
          <>
            <Button onClick={onClose} disabled={pending}>
              Cancel
            </Button>
            <Button type="submit" form={formId} variant={danger ? "danger" : "primary"} pending={pending}>
              {confirmLabel}
            </Button>
          </>
        }
      >
        <form
          id={formId}
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (reason.trim() === "") return refuse({ fields: { reason: "Say why." } });
            void run(act, event);
          }}
        >
          <div className="text-soft">{text}</div>
          {failure.text && (
            <Banner tone="red" role="alert">
              {failure.text}
              {failure.requestId && <p className="mt-0.5 font-mono text-soft text-xs">{failure.requestId}</p>}
            </Banner>
          )}
          <Field label="Reason" hint="It is kept, and the merchant sees it." error={failure.fields.reason}>
            {(props) => (
              <Textarea
                {...props}
                name="reason"
                rows={3}
                maxLength={500}
                required
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
        </form>
      </DialogContent>
    </Dialog>
  );
}
