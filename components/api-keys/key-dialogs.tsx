"use client";

import { useRef, useState } from "react";
import { FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { ConfirmNameDialog } from "@/components/ui/confirm-name-dialog";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { RadioCards } from "@/components/ui/radio-cards";
import { ApiError, callApi, failureText } from "@/lib/client/api";
import { newIdempotencyKey } from "@/lib/client/payments/money-ports";
import { useNow } from "@/lib/client/time-display";
import type { ApiKey, IssuedApiKey, OverlapHours } from "@/lib/contract/api-keys/api-keys";
import { fullTimeText } from "@/lib/contract/format";
import type { Mode } from "@/lib/contract/transactions/words";

type RollKeyDialogProps = {
  apiKey: ApiKey;
  mode: Mode;
  timeZone: string;
  onClose: () => void;
  onIssued: (issued: IssuedApiKey) => void;
};

const OVERLAPS = [
  { value: "0", label: "At once" },
  { value: "1", label: "In 1 hour" },
  { value: "24", label: "In 24 hours" },
  { value: "168", label: "In 7 days" },
] as const;

const HOUR_MS = 3_600_000;

/** A new secret with the same settings, while the old one goes on for as long as it takes to change over. */
export function RollKeyDialog({ apiKey, mode, timeZone, onClose, onIssued }: RollKeyDialogProps) {
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]["value"]>("24");
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const attempt = useRef<string>(null);
  attempt.current ??= newIdempotencyKey();
  const now = useNow();

  async function roll() {
    setPending(true);
    setFailure(null);
    try {
      const body = { attempt: attempt.current, overlap_hours: Number(overlap) as OverlapHours };
      const path = `/api/dashboard/${mode}/api-keys/${apiKey.id}/rotate`;
      onIssued((await callApi<IssuedApiKey>({ method: "POST", path, body })).data);
    } catch (error) {
      if (error instanceof ApiError && error.code === "idempotency_key_reused") {
        setFailure("An earlier attempt did arrive and rolled the key. Close this and see the list of keys.");
      } else setFailure(failureText(error));
      setPending(false);
    }
  }

  const end = endOf(apiKey, Number(overlap), now);
  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent
        title="Roll this key"
        description="Makes a new key with the same name, permissions, expiry and addresses."
        dismissible={!pending}
        footer={
          <>
            <Button onClick={onClose} disabled={pending}>
              Cancel
            </Button>
            <Button variant="primary" pending={pending} onClick={roll}>
              Roll key
            </Button>
          </>
        }
      >
        <KeySummary apiKey={apiKey} />
        <RadioCards
          legend="When does the old key end?"
          options={OVERLAPS}
          value={overlap}
          onChange={setOverlap}
          columns={2}
        />
        <p className="mt-3" aria-live="polite">
          {end === null
            ? "The old key is refused within a second. Whatever uses it fails until it has the new one."
            : `Both keys work until ${fullTimeText(end, timeZone)}. Then the old one ends by itself.`}
        </p>
        <FormFailure failure={{ text: failure }} className="mt-4" />
      </DialogContent>
    </Dialog>
  );
}

/** When the old key ends: an earlier expiry of its own stays. Null = now. */
function endOf(key: ApiKey, hours: number, now: number): Date | null {
  if (hours === 0) return null;
  const end = now + hours * HOUR_MS;
  return new Date(key.expires_at === null ? end : Math.min(end, Date.parse(key.expires_at)));
}

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

/** Which key a dialog is about. */
function KeySummary({ apiKey }: { apiKey: ApiKey }) {
  return (
    <p className="mb-4 flex flex-wrap items-baseline gap-x-2 rounded-md border bg-raised px-3 py-2">
      <span className="font-medium">{apiKey.name}</span>
      <span className="font-mono text-soft text-xs">
        {apiKey.prefix}…{apiKey.last4}
      </span>
    </p>
  );
}
