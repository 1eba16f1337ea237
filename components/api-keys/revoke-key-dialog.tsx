"use client";

import { ConfirmNameDialog } from "@/components/ui/confirm-name-dialog";
import { callApi } from "@/lib/client/api";
import { failureText } from "@/lib/client/failure-text";
import type { ApiKey } from "@/lib/contract/dashboard/api-keys";
import type { Mode } from "@/lib/contract/transaction-words";

type RevokeKeyDialogProps = {
  apiKey: ApiKey;
  mode: Mode;
  onClose: () => void;
  onChanged: (message: string) => void;
};

export function RevokeKeyDialog({ apiKey, mode, onClose, onChanged }: RevokeKeyDialogProps) {
  async function revoke() {
    try {
      const path = `/api/dashboard/${mode}/api-keys/${apiKey.id}/revoke`;
      await callApi<ApiKey>({ method: "POST", path, body: {} });
    } catch (error) {
      throw new Error(failureText(error), { cause: error });
    }
    onChanged("Key revoked");
  }

  return (
    <ConfirmNameDialog
      open
      onOpenChange={onClose}
      title="Revoke this key for good?"
      text={
        <>
          Requests with{" "}
          <span className="font-mono text-ink text-xs">
            {apiKey.prefix}…{apiKey.last4}
          </span>{" "}
          are refused within a second. This cannot be undone: whoever still uses it needs a new key.
        </>
      }
      name={apiKey.name}
      confirmLabel="Revoke key"
      onConfirm={revoke}
    />
  );
}
