"use client";

import { useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Checkbox } from "@/components/ui/checkbox";
import { RadioCards } from "@/components/ui/choices";
import { FormDialog, SelectField } from "@/components/ui/form";
import { Time } from "@/components/ui/time";
import { callApi } from "@/lib/client/api";
import { useForm, useOneKey } from "@/lib/client/use-form";
import type { Mode } from "@/lib/contract/transactions/words";
import type {
  ReplayWebhookEndpointBody,
  UpdateWebhookEndpointBody,
  WebhookReplay,
} from "@/lib/contract/webhooks/endpoints";
import type { WebhookEndpoint } from "@/lib/contract/webhooks/webhook-endpoint";
import {
  checkEndpoint,
  type EndpointChoices,
  EndpointFields,
  endpointValues,
  NEW_ENDPOINT,
  readEndpoint,
} from "./endpoint-form";

type EventType = Exclude<NonNullable<UpdateWebhookEndpointBody["event_types"]>[number], "*">;
type NewEndpointDialogProps = EndpointChoices & {
  mode: Mode;
  onClose: () => void;
  /** Includes the secret, which no later response has. */
  onCreated: (endpoint: WebhookEndpoint) => void;
};

export function NewEndpointDialog({ mode, onClose, onCreated, ...choices }: NewEndpointDialogProps) {
  const sendOnce = useOneKey();
  const form = useForm(NEW_ENDPOINT, { check: checkEndpoint });

  async function create() {
    const body = readEndpoint<EventType>(form.values);
    const send = (idempotencyKey: string) => callApi("POST /v1/webhook-endpoints", { mode, body, idempotencyKey });
    onCreated((await sendOnce(send)).data);
  }

  return (
    <FormDialog
      form={form}
      title={mode === "live" ? "New live endpoint" : "New endpoint"}
      description="Cardlane sends your events there, signed with a secret that you’ll see next."
      submitLabel="Create endpoint"
      onSubmit={create}
      onClose={onClose}
    >
      <EndpointFields form={form} mode={mode} {...choices} />
    </FormDialog>
  );
}

type EndpointDialogProps = { endpoint: WebhookEndpoint; mode: Mode; onClose: () => void };
type ChangeDialogProps = EndpointDialogProps & { onChanged: (message: string) => void };

export function EditEndpointDialog(props: ChangeDialogProps & EndpointChoices) {
  const { endpoint, mode, onClose, onChanged, ...choices } = props;
  const form = useForm(endpointValues(endpoint), { check: checkEndpoint });

  async function save() {
    const body = readEndpoint<EventType>(form.values);
    await callApi("PATCH /v1/webhook-endpoints/{id}", { mode, params: { id: endpoint.id }, body });
    onChanged("Endpoint saved");
  }

  return (
    <FormDialog
      form={form}
      title="Edit endpoint"
      submitLabel="Save changes"
      disabled={!form.dirty}
      onSubmit={save}
      onClose={onClose}
    >
      <EndpointFields form={form} mode={mode} {...choices} />
    </FormDialog>
  );
}

const HOUR_MS = 3_600_000;
const PERIODS = [
  ["1", "The last hour"],
  ["24", "The last 24 hours"],
  ["168", "The last 7 days"],
  ["720", "The last 30 days"],
  // One hour less than the retention of events.
  ["2159", "The last 90 days"],
] as const;

type Progress = { count: number; searchedTo: string };
type Missed = { hours: string; everything?: boolean; onProgress: (progress: Progress) => void };

/** Calls the endpoint until the whole period is replayed. Returns the number of queued events. */
async function sendMissed(
  { id }: WebhookEndpoint,
  mode: Mode,
  { hours, everything = false, onProgress }: Missed,
): Promise<number> {
  const until = new Date().toISOString();
  let since: string | null = new Date(Date.parse(until) - Number(hours) * HOUR_MS).toISOString();
  let count = 0;
  while (since !== null) {
    const body: ReplayWebhookEndpointBody = { since, until, only_failed: !everything };
    const response = await callApi("POST /v1/webhook-endpoints/{id}/replay", { mode, params: { id }, body });
    const replay: WebhookReplay = response.data;
    count += replay.delivery_count;
    since = replay.next_since;
    if (since !== null) onProgress({ count, searchedTo: since });
  }
  return count;
}

function MissedProgress({ count, searchedTo }: Progress) {
  return (
    <Banner tone="neutral" role="status">
      Searched to <Time at={searchedTo} style="date" />.{" "}
      {count === 0 ? "Nothing to send" : `${eventsText(count)} on the way`} so far. Keep this page open.
    </Banner>
  );
}

/** A week covers the five days after which we disable an endpoint. */
const SINCE_IT_FAILED = "168";

/** Enables an endpoint, optionally replaying missed events, or disables it. */
export function ToggleEndpointDialog({ endpoint, mode, onClose, onChanged }: ChangeDialogProps) {
  const form = useForm({ hours: endpoint.disabled_reason === "manual" ? "" : SINCE_IT_FAILED });
  const [progress, setProgress] = useState<Progress | null>(null);
  const disable = endpoint.status === "ENABLED";

  async function change() {
    const body = { status: disable ? "DISABLED" : "ENABLED" } as const;
    await callApi("PATCH /v1/webhook-endpoints/{id}", { mode, params: { id: endpoint.id }, body });
    if (disable) return onChanged("Endpoint disabled");
    if (form.values.hours === "") return onChanged("Endpoint enabled");
    const count = await sendMissed(endpoint, mode, { hours: form.values.hours, onProgress: setProgress });
    onChanged(`Endpoint enabled, ${count === 0 ? "nothing was missed" : `${eventsText(count)} on the way`}`);
  }

  return (
    <FormDialog
      form={form}
      title={disable ? "Disable this endpoint?" : "Enable this endpoint?"}
      submitLabel={disable ? "Disable endpoint" : "Enable endpoint"}
      danger={disable}
      focus="submit"
      onSubmit={change}
      onClose={onClose}
    >
      <p>
        {disable
          ? "New events are not sent to it, and pending deliveries wait. Once you enable it again, you can send missed events."
          : "New events are sent to it again, and pending deliveries go out."}
      </p>
      {!disable && (
        <SelectField label="Also send what it missed since" {...form.field("hours")}>
          <option value="">Don’t send missed events</option>
          {PERIODS.map(([hours, label]) => (
            <option key={hours} value={hours}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
      {form.pending && progress && <MissedProgress {...progress} />}
    </FormDialog>
  );
}

type DeleteDialogProps = EndpointDialogProps & { onDeleted: () => void };

export function DeleteEndpointDialog({ endpoint, mode, onClose, onDeleted }: DeleteDialogProps) {
  const form = useForm({});

  async function remove() {
    await callApi("DELETE /v1/webhook-endpoints/{id}", { mode, params: { id: endpoint.id } });
    onDeleted();
  }

  return (
    <FormDialog
      form={form}
      title="Delete this endpoint?"
      submitLabel="Delete endpoint"
      danger
      focus="cancel"
      onSubmit={remove}
      onClose={onClose}
    >
      <p className="[overflow-wrap:anywhere]">
        Nothing more is sent to {endpoint.url}. Its secret and delivery log are deleted. This cannot be undone.
      </p>
    </FormDialog>
  );
}

const OVERLAPS = [
  { value: "0", label: "Immediately" },
  { value: "1", label: "In 1 hour" },
  { value: "24", label: "In 24 hours" },
] as const;

type RotateDialogProps = EndpointDialogProps & { onRotated: (endpoint: WebhookEndpoint) => void };

/** Issues a new secret. Until the old one expires, messages carry both signatures. */
export function RotateSecretDialog({ endpoint, mode, onClose, onRotated }: RotateDialogProps) {
  const sendOnce = useOneKey();
  const form = useForm({ overlap: "24" as (typeof OVERLAPS)[number]["value"] });

  async function rotate() {
    const body = { overlap_hours: Number(form.values.overlap) as 0 | 1 | 24 };
    const params = { id: endpoint.id };
    const send = (idempotencyKey: string) =>
      callApi("POST /v1/webhook-endpoints/{id}/rotate-secret", { mode, params, body, idempotencyKey });
    onRotated((await sendOnce(send)).data);
  }

  return (
    <FormDialog
      form={form}
      title="Rotate the signing secret"
      description="Creates a new secret. Until the old one expires, each message carries a signature from both."
      submitLabel="Rotate secret"
      onSubmit={rotate}
      onClose={onClose}
    >
      <RadioCards
        legend="When should the old secret stop working?"
        options={OVERLAPS}
        {...form.choice("overlap")}
        columns={3}
      />
    </FormDialog>
  );
}

/** Replays the events of a period. */
export function ReplayDialog({ endpoint, mode, onClose, onChanged }: ChangeDialogProps) {
  const form = useForm({ hours: "24", everything: false });
  const [progress, setProgress] = useState<Progress | null>(null);

  async function replay() {
    const { hours, everything } = form.values;
    const count = await sendMissed(endpoint, mode, { hours, everything, onProgress: setProgress });
    onChanged(count === 0 ? "There was nothing to send" : `${eventsText(count)} on the way`);
  }

  return (
    <FormDialog
      form={form}
      title="Send missed events"
      description="Undelivered events from this period are sent again, oldest first, with the same ids."
      submitLabel="Send events"
      onSubmit={replay}
      onClose={onClose}
    >
      <SelectField label="Since" {...form.field("hours")}>
        {PERIODS.map(([hours, label]) => (
          <option key={hours} value={hours}>
            {label}
          </option>
        ))}
      </SelectField>
      <Checkbox
        label="Include delivered events"
        description="Your server receives them again with the same ids."
        checked={form.values.everything}
        onChange={({ target }) => form.set({ everything: target.checked })}
      />
      {form.pending && progress && <MissedProgress {...progress} />}
    </FormDialog>
  );
}

const eventsText = (count: number) => `${count.toLocaleString("en-US")} ${count === 1 ? "event" : "events"}`;
