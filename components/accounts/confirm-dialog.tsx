"use client";

import { useId, useState } from "react";
import { FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import { PROOF_MINUTES, type ProofKind } from "@/lib/contract/accounts/proof";
import { CodeInput, PasswordInput } from "./auth-fields";

type ConfirmDialogProps = { kind: ProofKind; path: string; onEnd: (proved: boolean) => void };

/** Stands above whatever asked for it: that waits, and goes on by itself. */
export function ConfirmDialog({ kind, path, onEnd }: ConfirmDialogProps) {
  const formId = useId();
  const [text, setText] = useState("");
  const field = kind === "code" ? "code" : "current_password";
  const { pending, failure, run } = useSubmit([field]);

  async function prove() {
    await callApi({ method: "POST", path, body: { [field]: text } });
    onEnd(true);
  }

  return (
    <Dialog open onOpenChange={() => onEnd(false)}>
      <DialogContent
        size="sm"
        title="Confirm that it is you"
        description={`For live keys, the team and large amounts we ask again. It counts for ${PROOF_MINUTES} minutes.`}
        footer={
          <>
            <Button onClick={() => onEnd(false)}>Cancel</Button>
            <Button type="submit" form={formId} variant="primary" pending={pending}>
              Confirm
            </Button>
          </>
        }
      >
        <form id={formId} noValidate onSubmit={(event) => run(prove, event)} className="flex flex-col gap-4">
          <FormFailure failure={failure} />
          {kind === "code" ? (
            <Field label="Code" hint="Of your authenticator app, or a recovery code." error={failure.fields.code}>
              {(props) => (
                <CodeInput {...props} name="code" value={text} onChange={(event) => setText(event.target.value)} />
              )}
            </Field>
          ) : (
            <Field label="Your password" error={failure.fields.current_password}>
              {(props) => (
                <PasswordInput
                  {...props}
                  name="current_password"
                  autoComplete="current-password"
                  value={text}
                  onChange={(event) => setText(event.target.value)}
                />
              )}
            </Field>
          )}
        </form>
      </DialogContent>
    </Dialog>
  );
}
