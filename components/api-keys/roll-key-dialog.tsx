"use client";

import { useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { FormFailure } from "@/components/ui/form-failure";
import { RadioCards } from "@/components/ui/radio-cards";
import { ApiError, callApi } from "@/lib/client/api";
import { failureText } from "@/lib/client/failure-text";
import { newIdempotencyKey } from "@/lib/client/money-ports";
import { useNow } from "@/lib/client/time-display";
import { fullTimeText } from "@/lib/client/time-text";
import type { ApiKey, IssuedApiKey, OverlapHours } from "@/lib/contract/dashboard/api-keys";
import type { Mode } from "@/lib/contract/transaction-words";
import { KeySummary } from "./key-summary";

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
