"use client";

import { CodeField, FormDialog, PasswordField } from "@/components/ui/form";
import { callApi } from "@/lib/client/api";
import { useForm } from "@/lib/client/use-form";
import { REAUTHENTICATION_MINUTES, type ReauthenticationKind } from "@/lib/contract/accounts/sessions";

type ConfirmDialogProps = { kind: ReauthenticationKind; staff: boolean; onEnd: (reauthenticated: boolean) => void };

/** Opens above the dialog that requested it, which continues afterwards. */
export function ConfirmDialog({ kind, staff, onEnd }: ConfirmDialogProps) {
  const form = useForm({ code: "", current_password: "" });
  const name = kind === "code" ? "code" : "current_password";

  async function reauthenticate() {
    const { code } = form.values;
    if (staff) await callApi("POST /api/support/proof", { body: { code } });
    else await callApi("POST /api/dashboard/account/proof", { body: { [name]: form.values[name] } });
    onEnd(true);
  }

  return (
    <FormDialog
      form={form}
      size="sm"
      title="Confirm it’s you"
      description={`Required for live keys and payment links, team and business changes, approvals, and large refunds. Valid for ${REAUTHENTICATION_MINUTES} minutes.`}
      submitLabel="Confirm"
      onSubmit={reauthenticate}
      onClose={() => onEnd(false)}
    >
      {kind === "code" ? (
        <CodeField label="Code" hint="From your authenticator app, or a recovery code." {...form.field("code")} />
      ) : (
        <PasswordField label="Your password" {...form.field("current_password")} autoComplete="current-password" />
      )}
    </FormDialog>
  );
}
