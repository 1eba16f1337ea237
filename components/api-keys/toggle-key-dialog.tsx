"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { FormFailure } from "@/components/ui/form-failure";
import { callApi } from "@/lib/client/api";
import { failureText } from "@/lib/client/failure-text";
import type { ApiKey } from "@/lib/contract/dashboard/api-keys";
import type { Mode } from "@/lib/contract/transaction-words";
import { KeySummary } from "./key-summary";

type ToggleKeyDialogProps = {
  apiKey: ApiKey;
  action: "disable" | "enable";
  mode: Mode;
  onClose: () => void;
  onChanged: (message: string) => void;
};

const WORDS = {
  disable: {
    title: "Disable this key?",
    text: "Requests with it are refused within a second. It keeps its settings, and you can enable it again.",
    button: "Disable key",
    done: "Key disabled",
  },
  enable: {
    title: "Enable this key?",
    text: "Requests with it work again at once, with the same secret and the same permissions.",
    button: "Enable key",
    done: "Key enabled",
  },
};

export function ToggleKeyDialog({ apiKey, action, mode, onClose, onChanged }: ToggleKeyDialogProps) {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const words = WORDS[action];

  async function change() {
    setPending(true);
    setFailure(null);
    try {
      const path = `/api/dashboard/${mode}/api-keys/${apiKey.id}/${action}`;
      await callApi<ApiKey>({ method: "POST", path, body: {} });
      onChanged(words.done);
    } catch (error) {
      setFailure(failureText(error));
      setPending(false);
    }
  }

  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent
        title={words.title}
        dismissible={!pending}
        footer={
          <>
            <Button onClick={onClose} disabled={pending}>
              Cancel
            </Button>
            <Button
              variant={action === "disable" ? "danger" : "primary"}
              pending={pending}
              onClick={change}
              data-autofocus
            >
              {words.button}
            </Button>
          </>
        }
      >
        <KeySummary apiKey={apiKey} />
        <p>{words.text}</p>
        <FormFailure failure={{ text: failure }} className="mt-4" />
      </DialogContent>
    </Dialog>
  );
}
