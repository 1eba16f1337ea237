"use client";

import { useState } from "react";
import { Checkbox } from "@/components/ui/checkbox";
import { RadioCards } from "@/components/ui/choices";
import { CopyId } from "@/components/ui/copy";
import { FormDialog, PasswordField, TextField } from "@/components/ui/form";
import { callApi } from "@/lib/client/api";
import { type FormState, useForm } from "@/lib/client/use-form";
import type { Connection } from "@/lib/contract/processors/connection";
import type { Mode } from "@/lib/contract/transactions/words";

/** A processor that can be connected, described for the browser. */
export type ConnectorChoice = {
  key: string;
  label: string;
  fields: readonly { name: string; label: string; help: string; secret: boolean; webhook: boolean }[];
  /** Place in the processor's dashboard where webhooks are set up, and the events to subscribe to. */
  where: string;
  events: readonly string[];
  /** Payments pass on their description and selected metadata. */
  takesMetadata: boolean;
};

type Values = { label: string; credentials: Record<string, string> };

/** Shows a refusal of a credential at its field. */
const place = ({ param, message }: { param: string; message: string }): [string, string] | null => {
  if (param === "label" || param.startsWith("credentials.")) return [param, message];
  return null;
};

type FieldsProps = { form: FormState<Values>; fields: ConnectorChoice["fields"]; kept?: boolean };

function CredentialFields({ form, fields, kept = false }: FieldsProps) {
  const { credentials } = form.values;
  return fields.map(({ name, label, help, secret }) => {
    const Control = secret ? PasswordField : TextField;
    return (
      <Control
        key={name}
        label={label}
        hint={kept ? `${help} Leave empty to keep the current one.` : help}
        name={`credentials.${name}`}
        value={credentials[name] ?? ""}
        error={form.errorOf(`credentials.${name}`)}
        onChange={({ target }: { target: { value: string } }) =>
          form.set({ credentials: { ...credentials, [name]: target.value } })
        }
        autoComplete="off"
        spellCheck={false}
      />
    );
  });
}

type ConnectDialogProps = {
  mode: Mode;
  connectors: readonly ConnectorChoice[];
  onClose: () => void;
  onConnected: (connection: Connection) => void;
};

/** Asks for the processor, then its credentials. The webhook secret follows once the address is known. */
export function ConnectDialog({ mode, connectors, onClose, onConnected }: ConnectDialogProps) {
  const [key, setKey] = useState(connectors[0]?.key ?? "");
  const chosen = connectors.find((one) => one.key === key);
  const form = useForm<Values>({ label: "", credentials: {} }, { place });
  const fields = chosen?.fields.filter(({ webhook }) => !webhook) ?? [];

  async function connect() {
    const label = form.values.label.trim() || (chosen?.label ?? key);
    const names = fields.map(({ name }) => [name, form.values.credentials[name] ?? ""] as const);
    const body = { processor: key, label, credentials: Object.fromEntries(names) };
    onConnected((await callApi("POST /api/dashboard/{mode}/processors", { params: { mode }, body })).data);
  }

  return (
    <FormDialog
      form={form}
      title={mode === "live" ? "Connect a live processor" : "Connect a processor’s test mode"}
      description="Cardlane checks the credentials with the processor and stores them encrypted. They are never shown again."
      submitLabel="Connect"
      onSubmit={connect}
      onClose={onClose}
    >
      <RadioCards
        legend="Processor"
        options={connectors.map(({ key: value, label }) => ({ value, label }))}
        columns={2}
        value={key}
        onChange={(next) => {
          setKey(next);
          form.set({ credentials: {} });
        }}
      />
      <TextField
        label="Name"
        hint="To tell your connections apart, such as a country or an acquirer."
        optional
        maxLength={100}
        placeholder={chosen?.label}
        {...form.field("label")}
      />
      <CredentialFields form={form} fields={fields} />
    </FormDialog>
  );
}

type ConnectionDialogProps = { mode: Mode; connection: Connection; onClose: () => void };
type ChangeProps = ConnectionDialogProps & { connector: ConnectorChoice; onChanged: (message: string) => void };

const change = (mode: Mode, { id }: Connection, body: Parameters<typeof send>[1]) => send({ mode, id }, body);
const send = (
  params: { mode: Mode; id: string },
  body: {
    label?: string;
    raw_cards?: boolean;
    metadata_keys?: string[];
    is_default?: true;
    credentials?: Record<string, string>;
  },
) => callApi("PATCH /api/dashboard/{mode}/processors/{id}", { params, body });

/** Replaces the credentials of the same account. */
export function ReplaceDialog({ mode, connection, connector, onClose, onChanged }: ChangeProps) {
  const form = useForm<Values>({ label: connection.label, credentials: {} }, { place });

  async function replace() {
    await change(mode, connection, { label: form.values.label, credentials: form.values.credentials });
    onChanged("Connection saved");
  }

  return (
    <FormDialog
      form={form}
      title="Edit connection"
      description={`New credentials must belong to the same account, ${connection.account}: its existing payments are captured and refunded there.`}
      submitLabel="Save changes"
      disabled={!form.dirty}
      onSubmit={replace}
      onClose={onClose}
    >
      <TextField label="Name" maxLength={100} {...form.field("label")} />
      <CredentialFields form={form} fields={connector.fields.filter(({ webhook }) => !webhook)} kept />
    </FormDialog>
  );
}

/** Webhook address for the processor's dashboard, and the secret issued there. */
export function WebhookDialog({ mode, connection, connector, onClose, onChanged }: ChangeProps) {
  const form = useForm<Values>({ label: connection.label, credentials: {} }, { place });
  const fields = connector.fields.filter(({ webhook }) => webhook);

  async function save() {
    await change(mode, connection, { credentials: form.values.credentials });
    onChanged("Webhook secret saved");
  }

  return (
    <FormDialog
      form={form}
      title={`Webhooks of ${connector.label}`}
      description={connector.where}
      submitLabel="Save secret"
      disabled={!form.dirty}
      onSubmit={save}
      onClose={onClose}
    >
      <div className="text-[13px]">
        <p className="font-medium">Address</p>
        <CopyId id={connection.webhook_url} label="Copy the address" />
      </div>
      <div className="text-[13px]">
        <p className="font-medium">Events</p>
        <ul className="mt-1 grid gap-x-6 gap-y-0.5 sm:grid-cols-2">
          {connector.events.map((event) => (
            <li key={event} className="font-mono text-xs [overflow-wrap:anywhere]">
              {event}
            </li>
          ))}
        </ul>
      </div>
      <CredentialFields form={form} fields={fields} kept={connection.takes_webhooks} />
    </FormDialog>
  );
}

/** Enables card numbers through our servers, which operator and processor must both allow. */
export function RawCardsDialog({ mode, connection, connector, onClose, onChanged }: ChangeProps) {
  const form = useForm({ raw_cards: connection.raw_cards });

  async function save() {
    await change(mode, connection, { raw_cards: form.values.raw_cards });
    onChanged("Connection saved");
  }

  return (
    <FormDialog
      form={form}
      title="Card numbers"
      submitLabel="Save"
      disabled={!form.dirty}
      onSubmit={save}
      onClose={onClose}
    >
      <p>
        When this is on, the payment form sends card numbers to {connector.label}. {connector.label} must have allowed
        that for your account. When it’s off, shoppers enter their card in {connector.label}’s own fields on your page,
        and you charge the token those fields create.
      </p>
      <Checkbox
        label={`Send card numbers to ${connector.label}`}
        checked={form.values.raw_cards}
        onChange={({ target }) => form.set({ raw_cards: target.checked })}
      />
    </FormDialog>
  );
}

/** Selects the metadata shown in the processor's dashboard. */
export function MetadataDialog({ mode, connection, connector, onClose, onChanged }: ChangeProps) {
  const form = useForm(
    { metadata_keys: connection.metadata_keys.join(", ") },
    { place: ({ message }) => ["metadata_keys", message] },
  );

  async function save() {
    const keys = form.values.metadata_keys.split(",").map((key) => key.trim());
    await change(mode, connection, { metadata_keys: keys.filter(Boolean) });
    onChanged("Connection saved");
  }

  return (
    <FormDialog
      form={form}
      title={`What ${connector.label} shows`}
      description={`Each new payment has its description and its Cardlane id at ${connector.label}. Choose the metadata to send as well.`}
      submitLabel="Save"
      disabled={!form.dirty}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label="Metadata keys"
        hint={`Separate keys with commas, at most 20. Anyone who can sign in to ${connector.label} sees their values.`}
        placeholder="order, channel"
        optional
        autoComplete="off"
        spellCheck={false}
        {...form.field("metadata_keys")}
      />
    </FormDialog>
  );
}

type DefaultDialogProps = ConnectionDialogProps & { onChanged: (message: string) => void };

export function DefaultDialog({ mode, connection, onClose, onChanged }: DefaultDialogProps) {
  const form = useForm({});

  async function save() {
    await change(mode, connection, { is_default: true });
    onChanged("Default connection changed");
  }

  return (
    <FormDialog
      form={form}
      title={`Make ${connection.label} the default?`}
      submitLabel="Make default"
      focus="submit"
      onSubmit={save}
      onClose={onClose}
    >
      <p>New payments that match no rule go there within a second. Existing payments stay where they are.</p>
    </FormDialog>
  );
}

/** Stored cards at a connection, and the subscriptions that they pay for; counted up to 1,001. */
export type KeptThere = { cards: number; subscriptions: number };

const MAX_COUNTED = 1_000;

function counted(count: number, one: string): string {
  if (count > MAX_COUNTED) return `more than ${MAX_COUNTED.toLocaleString("en")} ${one}s`;
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

/**
 * Sentence on the cards and subscriptions that a disconnected account can't charge; null if there are none.
 */
function keptText({ cards, subscriptions }: KeptThere): string | null {
  if (cards === 0) return null;
  const stored = counted(cards, "stored card");
  const start = `${stored.charAt(0).toUpperCase()}${stored.slice(1)} can’t be charged until then`;
  return subscriptions === 0
    ? `${start}.`
    : `${start}, so ${counted(subscriptions, "subscription")} will become past due.`;
}

type DisconnectDialogProps = DefaultDialogProps & { kept: KeptThere | undefined };

export function DisconnectDialog({ mode, connection, kept, onClose, onChanged }: DisconnectDialogProps) {
  const warning = kept && keptText(kept);
  const form = useForm({});

  async function disconnect() {
    const params = { mode, id: connection.id };
    await callApi("POST /api/dashboard/{mode}/processors/{id}/disconnect", { params, body: {} });
    onChanged("Processor disconnected");
  }

  return (
    <FormDialog
      form={form}
      title={`Disconnect ${connection.label}?`}
      submitLabel="Disconnect"
      danger
      focus="cancel"
      onSubmit={disconnect}
      onClose={onClose}
    >
      <p>
        This deletes its credentials. You can’t refund its payments until you connect the same account,{" "}
        {connection.account}, again. While a payment there is still open, you can’t disconnect it.
      </p>
      {warning && <p>{warning}</p>}
    </FormDialog>
  );
}
