"use client";

import { useId } from "react";
import { Checkbox } from "@/components/ui/checkbox";
import { RadioCards } from "@/components/ui/choices";
import { TextField } from "@/components/ui/form";
import { cn } from "@/components/ui/styles";
import type { FormState } from "@/lib/client/use-form";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Payload, WebhookEndpoint } from "@/lib/contract/webhooks/webhook-endpoint";

export type EndpointValues = {
  url: string;
  description: string;
  scope: "all" | "some";
  types: readonly string[];
  payload: Payload;
  signature: WebhookEndpoint["signature"];
};

export const NEW_ENDPOINT: EndpointValues = {
  url: "",
  description: "",
  scope: "all",
  types: [],
  payload: "full",
  signature: "v1",
};

export function endpointValues(endpoint: WebhookEndpoint): EndpointValues {
  const all = endpoint.event_types.includes("*");
  return {
    url: endpoint.url,
    description: endpoint.description ?? "",
    scope: all ? "all" : "some",
    types: all ? [] : endpoint.event_types,
    payload: endpoint.payload,
    signature: endpoint.signature,
  };
}

/** Reports missing values; the API validates the rest. */
export function checkEndpoint({ url, scope, types }: EndpointValues): Record<string, string | undefined> {
  return {
    url: url.trim() === "" ? "Enter the URL to send events to." : undefined,
    event_types: scope === "some" && types.length === 0 ? "Choose at least one event." : undefined,
  };
}

/** `Type` is an event type of the contract. */
export function readEndpoint<Type extends string>(values: EndpointValues) {
  const { url, description, scope, types, payload, signature } = values;
  return {
    url: url.trim(),
    description: description.trim() || null,
    event_types: scope === "all" ? (["*"] satisfies ["*"]) : ([...types] as Type[]),
    payload,
    signature,
  };
}

const SCOPES = [
  { value: "all", label: "All events", description: "Including types added later." },
  { value: "some", label: "Selected events" },
] as const;
const PAYLOADS = [
  { value: "full", label: "Full", description: "The event with the object as it was at the time." },
  { value: "thin", label: "Ids only", description: "Type and ids only; your server fetches the object." },
] as const;
const SIGNATURES = [
  { value: "v1", label: "HMAC-SHA256", description: "One shared secret. Every library supports it." },
  {
    value: "v1+v1a",
    label: "HMAC and Ed25519",
    description: "Also signed with a key pair: verify with the public key.",
  },
] as const;

/** Options of this service; `allowsLocal` permits http and private addresses. */
export type EndpointChoices = { eventTypes: readonly string[]; allowsLocal: boolean };
type FormProp = { form: FormState<EndpointValues> };

/** The service's address rule, and the alternative for tests. */
function addressHint(mode: Mode, allowsLocal: boolean): string {
  if (allowsLocal) return "http or https, on any port and host that this service reaches.";
  const rule = "https on port 443, at a public address.";
  return mode === "test" ? `${rule} For events on your own machine, run npm run listen.` : rule;
}

export function EndpointFields({ form, mode, eventTypes, allowsLocal }: FormProp & EndpointChoices & { mode: Mode }) {
  return (
    <>
      <TextField
        label="Endpoint URL"
        hint={addressHint(mode, allowsLocal)}
        type="url"
        placeholder="https://example.com/webhooks"
        autoComplete="off"
        spellCheck={false}
        {...form.field("url")}
      />
      <TextField label="Description" optional maxLength={500} {...form.field("description")} />
      <RadioCards legend="Events" options={SCOPES} columns={2} {...form.choice("scope")} />
      {form.values.scope === "some" && <TypeChoice form={form} eventTypes={eventTypes} />}
      <RadioCards legend="Payload" options={PAYLOADS} columns={2} {...form.choice("payload")} />
      <RadioCards legend="Signature" options={SIGNATURES} columns={2} {...form.choice("signature")} />
    </>
  );
}

function TypeChoice({ form, eventTypes }: FormProp & Pick<EndpointChoices, "eventTypes">) {
  const id = useId();
  const { types } = form.values;
  const error = form.errorOf("event_types");
  const choose = (some: readonly string[], chosen: boolean) =>
    form.set({ types: eventTypes.filter((type) => (some.includes(type) ? chosen : types.includes(type))) });
  return (
    <fieldset className="min-w-0" aria-describedby={error && id}>
      <legend className="sr-only">Selected events</legend>
      <div className="divide-y rounded-md border">
        {groupsOf(eventTypes).map(([group, own]) => {
          const chosen = own.filter((type) => types.includes(type)).length;
          return (
            <fieldset key={group} className="min-w-0 px-3 py-2.5">
              <legend className="sr-only">Events of {group}</legend>
              {own.length > 1 && (
                <Checkbox
                  label={<span className="font-medium font-mono text-xs">{group}.*</span>}
                  checked={chosen === own.length}
                  indeterminate={chosen > 0 && chosen < own.length}
                  onChange={({ target }) => choose(own, target.checked)}
                />
              )}
              <div className={cn("grid gap-x-6 gap-y-1.5 sm:grid-cols-2", own.length > 1 && "mt-1.5 pl-5")}>
                {own.map((type) => (
                  <Checkbox
                    key={type}
                    name="event_types"
                    label={<span className="font-mono text-xs [overflow-wrap:anywhere]">{type}</span>}
                    checked={types.includes(type)}
                    onChange={({ target }) => choose([type], target.checked)}
                  />
                ))}
              </div>
            </fieldset>
          );
        })}
      </div>
      {error && (
        <p id={id} className="mt-1.5 text-red text-xs">
          {error}
        </p>
      )}
    </fieldset>
  );
}

/** Event types grouped by object, the part of their name before the dot. */
function groupsOf(eventTypes: readonly string[]): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const type of eventTypes) {
    const group = type.slice(0, type.indexOf("."));
    groups.set(group, [...(groups.get(group) ?? []), type]);
  }
  return [...groups];
}
