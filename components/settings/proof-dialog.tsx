"use client";

import { type ReactNode, useId, useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { PasswordInput } from "@/components/ui/password-input";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import { CodeInput } from "./code-input";

type ProofDialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  confirmLabel: string;
  danger?: boolean;
  /** What takes password and code. */
  path: string;
  onDone: (data: unknown) => void;
};

/** Asks for password and code again, for what would weaken the sign-in. */
export function ProofDialog({ open, onClose, ...rest }: ProofDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onClose}>
      {open && <Content onClose={onClose} {...rest} />}
    </Dialog>
  );
}

function Content({ onClose, title, description, confirmLabel, danger, path, onDone }: Omit<ProofDialogProps, "open">) {
  const formId = useId();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const { pending, failure, run } = useSubmit(["current_password", "code"]);

  async function prove() {
    const { data } = await callApi({ method: "POST", path, body: { current_password: password, code } });
    onDone(data);
  }

  return (
    <DialogContent
      size="sm"
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant={danger ? "danger" : "primary"} pending={pending}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => run(prove, event)} className="flex flex-col gap-4">
        <FormFailure failure={failure} />
        <Field label="Current password" error={failure.fields.current_password}>
          {(props) => (
            <PasswordInput
              {...props}
              name="current_password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Field label="Code" hint="Of your authenticator app, or a recovery code." error={failure.fields.code}>
          {(props) => (
            <CodeInput {...props} name="code" value={code} onChange={(event) => setCode(event.target.value)} />
          )}
        </Field>
      </form>
    </DialogContent>
  );
}
