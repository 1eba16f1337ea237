"use client";

import { useState } from "react";
import { RequestApproval, useApprovalNeed } from "@/components/approvals/request-approval";
import { RequestedKeyChanges } from "@/components/approvals/settings-changes";
import { RadioCards } from "@/components/ui/choices";
import { FormDialog, TextField } from "@/components/ui/form";
import { ApiError, callApi } from "@/lib/client/api";
import { newIdempotencyKey } from "@/lib/client/payments/money-ports";
import { useNow } from "@/lib/client/time-display";
import { FormRefusal, useForm } from "@/lib/client/use-form";
import type { ApiKey, IssuedApiKey, OverlapHours } from "@/lib/contract/api-keys/api-keys";
import { fullTimeText } from "@/lib/contract/format";
import type { Mode } from "@/lib/contract/transactions/words";

type KeyDialogProps = { apiKey: ApiKey; mode: Mode; onClose: () => void };

const OVERLAPS = [
  { value: "0", label: "Immediately" },
  { value: "1", label: "In 1 hour" },
  { value: "24", label: "In 24 hours" },
  { value: "168", label: "In 7 days" },
] as const;

const HOUR_MS = 3_600_000;

type RollKeyDialogProps = KeyDialogProps & { timeZone: string; onIssued: (issued: IssuedApiKey) => void };

/** Issues a new secret with the same settings; the old one stays valid during the changeover. */
export function RollKeyDialog({ apiKey, mode, timeZone, onClose, onIssued }: RollKeyDialogProps) {
  const form = useForm({ overlap: "24" as (typeof OVERLAPS)[number]["value"] });
  const [attempt] = useState(newIdempotencyKey);
  const hours = Number(form.values.overlap) as OverlapHours;
  const end = endOf(apiKey, hours, useNow());
  const { need, orRequest } = useApprovalNeed();

  async function rotate() {
    const params = { mode, id: apiKey.id };
    const act = { act: "ROTATE" as const, subject: apiKey.id, overlap_hours: hours };
    try {
      await orRequest({ action: "LIVE_KEY", parameters: act }, async () => {
        const body = { attempt, overlap_hours: hours };
        onIssued((await callApi("POST /api/dashboard/{mode}/api-keys/{id}/rotate", { params, body })).data);
      });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "idempotency_key_reused")) throw error;
      throw new FormRefusal("An earlier attempt already rotated the key. Close this and check the list of keys.");
    }
  }

  if (need) {
    const shown = <RequestedKeyChanges act={need.act} now={apiKey} />;
    return <RequestApproval {...need} shown={shown} onClose={onClose} />;
  }
  return (
    <FormDialog
      form={form}
      title="Rotate this key"
      description="Creates a new key with the same name, permissions, limits, expiry and allow list. Its refunds count with the old key’s."
      submitLabel="Rotate key"
      onSubmit={rotate}
      onClose={onClose}
    >
      <KeySummary apiKey={apiKey} />
      <RadioCards
        legend="When should the old key stop working?"
        options={OVERLAPS}
        {...form.choice("overlap")}
        columns={2}
      />
      <p aria-live="polite">
        {end === null
          ? "The old key stops working within a second. Anything that uses it fails until you give it the new key."
          : `Both keys work until ${fullTimeText(end, timeZone)}. After that, the old key stops working.`}
      </p>
    </FormDialog>
  );
}

/** Time at which the old key stops working: after the overlap, or at its expiry if sooner. Null = now. */
function endOf(key: ApiKey, hours: number, now: number): Date | null {
  if (hours === 0) return null;
  const end = now + hours * HOUR_MS;
  return new Date(key.expires_at === null ? end : Math.min(end, Date.parse(key.expires_at)));
}

type ChangeKeyDialogProps = KeyDialogProps & { onChanged: (message: string) => void };

const WORDS = {
  disable: {
    title: "Disable this key?",
    text: "Requests with this key are refused within a second. It keeps its settings; you can enable it again.",
    button: "Disable key",
    done: "Key disabled",
  },
  enable: {
    title: "Enable this key?",
    text: "Requests with this key work again immediately, with the same secret and permissions.",
    button: "Enable key",
    done: "Key enabled",
  },
};

type ToggleKeyDialogProps = ChangeKeyDialogProps & { action: "disable" | "enable" };

export function ToggleKeyDialog({ apiKey, action, mode, onClose, onChanged }: ToggleKeyDialogProps) {
  const form = useForm({});
  const words = WORDS[action];
  const { need, orRequest } = useApprovalNeed();

  async function change() {
    const params = { mode, id: apiKey.id };
    await orRequest({ action: "LIVE_KEY", parameters: { act: "ENABLE", subject: apiKey.id } }, async () => {
      await callApi(`POST /api/dashboard/{mode}/api-keys/{id}/${action}`, { params, body: {} });
      onChanged(words.done);
    });
  }

  if (need) {
    const shown = <RequestedKeyChanges act={need.act} now={apiKey} />;
    return <RequestApproval {...need} shown={shown} onClose={onClose} />;
  }

  return (
    <FormDialog
      form={form}
      title={words.title}
      submitLabel={words.button}
      danger={action === "disable"}
      focus="submit"
      onSubmit={change}
      onClose={onClose}
    >
      <KeySummary apiKey={apiKey} />
      <p>{words.text}</p>
    </FormDialog>
  );
}

/** Revoking can't be undone, so the button stays disabled until the key's name is typed. */
export function RevokeKeyDialog({ apiKey, mode, onClose, onChanged }: ChangeKeyDialogProps) {
  const form = useForm({ typed: "" });

  async function revoke() {
    const params = { mode, id: apiKey.id };
    await callApi("POST /api/dashboard/{mode}/api-keys/{id}/revoke", { params, body: {} });
    onChanged("Key revoked");
  }

  return (
    <FormDialog
      form={form}
      title="Revoke this key for good?"
      description={
        <>
          Requests with{" "}
          <span className="font-mono text-ink text-xs">
            {apiKey.prefix}…{apiKey.last4}
          </span>{" "}
          are refused within a second. This cannot be undone: anything that still uses it needs a new key.
        </>
      }
      submitLabel="Revoke key"
      danger
      disabled={form.values.typed.trim() !== apiKey.name.trim()}
      onSubmit={revoke}
      onClose={onClose}
    >
      <TextField
        label={
          <>
            Type <span className="font-mono">{apiKey.name}</span> to confirm
          </>
        }
        {...form.field("typed")}
        autoComplete="off"
        spellCheck={false}
      />
    </FormDialog>
  );
}

/** Summary of the key that a dialog changes. */
function KeySummary({ apiKey }: { apiKey: ApiKey }) {
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 rounded-md border bg-raised px-3 py-2">
      <span className="font-medium">{apiKey.name}</span>
      <span className="font-mono text-soft text-xs">
        {apiKey.prefix}…{apiKey.last4}
      </span>
    </p>
  );
}
