"use client";

import { Ban, CircleCheck, Ellipsis, History, KeyRound, type LucideIcon, Pencil, Send, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { ShownSecretDialog } from "@/components/api-keys/secret-dialog";
import { Button } from "@/components/ui/button";
import { Menu, MenuContent, MenuItem, MenuTrigger } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import { ApiError, callApi } from "@/lib/client/api";
import type { Mode } from "@/lib/contract/transactions/words";
import type { WebhookEndpoint } from "@/lib/contract/webhooks/webhook-endpoint";
import {
  DeleteEndpointDialog,
  EditEndpointDialog,
  NewEndpointDialog,
  ReplayDialog,
  RotateSecretDialog,
  ToggleEndpointDialog,
} from "./endpoint-dialogs";
import type { EndpointChoices } from "./endpoint-form";

const SECRET_WORDS = {
  what: "secret",
  kept: "Your server uses it to verify messages. Cardlane does not show it again.",
  loss: "If you lose it, rotate the secret.",
};

type NewEndpointProps = { mode: Mode; path: string } & EndpointChoices;

/** Button and form for a new endpoint, then its secret, then its own page. */
export function NewEndpoint({ mode, path, ...choices }: NewEndpointProps) {
  const router = useRouter();
  const [open, setOpen] = useState(false);
  const [created, setCreated] = useState<WebhookEndpoint | null>(null);
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        {mode === "live" ? "New live endpoint" : "New endpoint"}
      </Button>
      {open && (
        <NewEndpointDialog
          mode={mode}
          {...choices}
          onClose={() => setOpen(false)}
          onCreated={(endpoint) => {
            setOpen(false);
            setCreated(endpoint);
          }}
        />
      )}
      {created?.secret && (
        <ShownSecretDialog
          name={created.url}
          secret={created.secret}
          words={SECRET_WORDS}
          onDone={() => {
            setCreated(null);
            router.push(`${path}/${created.id}`);
          }}
        />
      )}
    </>
  );
}

type Action = "edit" | "toggle" | "rotate" | "replay" | "delete";
type EndpointActionsProps = { endpoint: WebhookEndpoint; mode: Mode; path: string } & EndpointChoices;

/** Actions on an endpoint. */
export function EndpointActions({ endpoint, mode, path, ...choices }: EndpointActionsProps) {
  const router = useRouter();
  const [action, setAction] = useState<Action | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const isEnabled = endpoint.status === "ENABLED";
  const dialog = {
    endpoint,
    mode,
    onClose: () => setAction(null),
    onChanged: (message: string) => {
      setAction(null);
      toast.success(message);
      router.refresh();
    },
  };
  return (
    <>
      {isEnabled ? (
        <SendTest endpoint={endpoint} mode={mode} />
      ) : (
        <Button variant="primary" icon={<CircleCheck aria-hidden="true" />} onClick={() => setAction("toggle")}>
          Enable
        </Button>
      )}
      {!isEnabled && endpoint.disabled_reason !== "manual" && <KeepDisabled endpoint={endpoint} mode={mode} />}
      <Button icon={<Pencil aria-hidden="true" />} onClick={() => setAction("edit")}>
        Edit
      </Button>
      <Menu>
        <MenuTrigger asChild>
          <button type="button" className="button button-icon" aria-label="More actions">
            <Ellipsis aria-hidden="true" />
          </button>
        </MenuTrigger>
        <MenuContent align="end" label="More actions">
          {isEnabled && (
            <MenuItem icon={<History aria-hidden="true" />} onSelect={() => setAction("replay")}>
              Send missed events …
            </MenuItem>
          )}
          <MenuItem icon={<KeyRound aria-hidden="true" />} onSelect={() => setAction("rotate")}>
            Rotate secret …
          </MenuItem>
          {isEnabled && (
            <MenuItem icon={<Ban aria-hidden="true" />} onSelect={() => setAction("toggle")}>
              Disable …
            </MenuItem>
          )}
          <MenuItem danger icon={<Trash2 aria-hidden="true" />} onSelect={() => setAction("delete")}>
            Delete …
          </MenuItem>
        </MenuContent>
      </Menu>
      {action === "edit" && <EditEndpointDialog {...dialog} {...choices} />}
      {action === "toggle" && <ToggleEndpointDialog {...dialog} />}
      {action === "replay" && <ReplayDialog {...dialog} />}
      {action === "rotate" && (
        <RotateSecretDialog
          {...dialog}
          onRotated={(rotated) => {
            setAction(null);
            setSecret(rotated.secret);
            router.refresh();
          }}
        />
      )}
      {action === "delete" && (
        <DeleteEndpointDialog
          {...dialog}
          onDeleted={() => {
            setAction(null);
            toast.success("Endpoint deleted");
            router.push(path);
          }}
        />
      )}
      {secret && (
        <ShownSecretDialog name={endpoint.url} secret={secret} words={SECRET_WORDS} onDone={() => setSecret(null)} />
      )}
    </>
  );
}

function SendTest({ endpoint: { id }, mode }: { endpoint: WebhookEndpoint; mode: Mode }) {
  const send = () => callApi("POST /v1/webhook-endpoints/{id}/test", { mode, params: { id } });
  return <CallButton label="Send test event" done="Test event on the way" icon={Send} call={send} />;
}

/** Dismisses the warning about an endpoint that we disabled. */
function KeepDisabled({ endpoint: { id }, mode }: { endpoint: WebhookEndpoint; mode: Mode }) {
  const keep = () =>
    callApi("PATCH /v1/webhook-endpoints/{id}", { mode, params: { id }, body: { status: "DISABLED" } });
  return <CallButton label="Keep it disabled" done="Endpoint stays disabled" icon={Ban} call={keep} />;
}

/** Resends one delivery. */
export function ResendDelivery({ id, mode }: { id: string; mode: Mode }) {
  const send = () => callApi("POST /v1/webhook-deliveries/{id}/resend", { mode, params: { id } });
  return <CallButton label="Resend" done="Event on the way" variant="primary" icon={Send} call={send} />;
}

type CallButtonProps = {
  label: string;
  done: string;
  variant?: "primary";
  icon: LucideIcon;
  call: () => Promise<unknown>;
};

function CallButton({ label, done, variant, icon: Icon, call }: CallButtonProps) {
  const router = useRouter();
  const [pending, setPending] = useState(false);

  async function press() {
    setPending(true);
    try {
      await call();
      toast.success(done);
      router.refresh();
    } catch (error) {
      toast.error(error instanceof ApiError ? error.detail : "No response arrived. Try again.");
    } finally {
      setPending(false);
    }
  }

  return (
    <Button {...(variant && { variant })} icon={<Icon aria-hidden="true" />} pending={pending} onClick={press}>
      {label}
    </Button>
  );
}
