"use client";

import { type ReactNode, type SubmitEvent, useId, useState } from "react";
import { FormFailure } from "./banner";
import { Button } from "./button";
import { Dialog, DialogContent } from "./dialog";
import { Field, Input } from "./field";

type ConfirmNameDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** What happens, and that it cannot be undone. */
  text: ReactNode;
  /** To be typed exactly. */
  name: string;
  confirmLabel: string;
  /** What it throws is shown in the dialog, which stays open. */
  onConfirm: () => void | Promise<void>;
};

/** For what cannot be undone: the button works once the name is typed. */
export function ConfirmNameDialog({ open, onOpenChange, ...rest }: ConfirmNameDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange}>
      {open && <Content onClose={() => onOpenChange(false)} {...rest} />}
    </Dialog>
  );
}

type ContentProps = Omit<ConfirmNameDialogProps, "open" | "onOpenChange"> & { onClose: () => void };

function Content({ title, text, name, confirmLabel, onConfirm, onClose }: ContentProps) {
  const formId = useId();
  const [typed, setTyped] = useState("");
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const matches = typed.trim() === name.trim();

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (!matches || pending) return;
    setPending(true);
    setFailure(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : "It did not work. Try again.");
    } finally {
      setPending(false);
    }
  }

  return (
    <DialogContent
      title={title}
      description={text}
      dismissible={!pending}
      footer={
        <>
          <Button onClick={onClose} disabled={pending}>
            Cancel
          </Button>
          <Button type="submit" form={formId} variant="danger" disabled={!matches} pending={pending}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-3">
        <Field
          label={
            <>
              Type <span className="font-mono">{name}</span> to confirm
            </>
          }
        >
          {(props) => (
            <Input
              {...props}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
          )}
        </Field>
        <FormFailure failure={{ text: failure }} />
      </form>
    </DialogContent>
  );
}
