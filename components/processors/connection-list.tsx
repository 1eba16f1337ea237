"use client";

import { Ban, CreditCard, Ellipsis, PencilLine, Plug, RefreshCw, Star, Tags, Webhook } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Badge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { Menu, MenuContent, MenuItem, MenuTrigger } from "@/components/ui/menu";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { usePress } from "@/components/ui/use-press";
import { callApi } from "@/lib/client/api";
import type { Connection } from "@/lib/contract/processors/connection";
import type { Mode } from "@/lib/contract/transactions/words";
import {
  ConnectDialog,
  type ConnectorChoice,
  DefaultDialog,
  DisconnectDialog,
  type KeptThere,
  MetadataDialog,
  RawCardsDialog,
  ReplaceDialog,
  WebhookDialog,
} from "./connection-dialogs";

type ConnectProps = { mode: Mode; connectors: readonly ConnectorChoice[] };

/** The button and its form. */
export function ConnectProcessor({ mode, connectors }: ConnectProps) {
  const router = useRouter();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" icon={<Plug aria-hidden="true" />} onClick={() => setOpen(true)}>
        Connect a processor
      </Button>
      {open && (
        <ConnectDialog
          mode={mode}
          connectors={connectors}
          onClose={() => setOpen(false)}
          onConnected={(made) => {
            setOpen(false);
            toast.success(`${made.label} is connected`);
            router.refresh();
          }}
        />
      )}
    </>
  );
}

type Action = "edit" | "webhook" | "cards" | "metadata" | "default" | "disconnect";
type ConnectionCardProps = {
  mode: Mode;
  connection: Connection;
  connector: ConnectorChoice;
  mayTakeCards: boolean;
  kept: KeptThere | undefined;
};

/** A connection: its account, its health and its actions. */
export function ConnectionCard({ mode, connection, connector, mayTakeCards, kept }: ConnectionCardProps) {
  const router = useRouter();
  const [action, setAction] = useState<Action | null>(null);
  const isConnected = connection.status === "CONNECTED";
  const dialog = {
    mode,
    connection,
    connector,
    onClose: () => setAction(null),
    onChanged: (message: string) => {
      setAction(null);
      toast.success(message);
      router.refresh();
    },
  };
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          <span className="[overflow-wrap:anywhere]">{connection.label}</span>
          {connection.is_default && <Badge tone="accent">Default</Badge>}
          {!isConnected && <Badge>Disconnected</Badge>}
        </span>
      }
      description={`${connector.label} · ${connection.account}`}
      actions={
        isConnected && (
          <>
            <CheckButton mode={mode} connection={connection} />
            <Menu>
              <MenuTrigger asChild>
                <button type="button" className="button button-icon" aria-label={`Actions for ${connection.label}`}>
                  <Ellipsis aria-hidden="true" />
                </button>
              </MenuTrigger>
              <MenuContent align="end" label={`Actions for ${connection.label}`}>
                <MenuItem icon={<PencilLine aria-hidden="true" />} onSelect={() => setAction("edit")}>
                  Edit or replace credentials …
                </MenuItem>
                <MenuItem icon={<Webhook aria-hidden="true" />} onSelect={() => setAction("webhook")}>
                  Webhooks …
                </MenuItem>
                <MenuItem
                  icon={<CreditCard aria-hidden="true" />}
                  disabled={!mayTakeCards && !connection.raw_cards}
                  description={mayTakeCards ? undefined : "The service’s operator hasn’t allowed it."}
                  onSelect={() => setAction("cards")}
                >
                  Card numbers …
                </MenuItem>
                {connector.takesMetadata && (
                  <MenuItem icon={<Tags aria-hidden="true" />} onSelect={() => setAction("metadata")}>
                    Metadata …
                  </MenuItem>
                )}
                {!connection.is_default && (
                  <MenuItem icon={<Star aria-hidden="true" />} onSelect={() => setAction("default")}>
                    Make default …
                  </MenuItem>
                )}
                <MenuItem danger icon={<Ban aria-hidden="true" />} onSelect={() => setAction("disconnect")}>
                  Disconnect …
                </MenuItem>
              </MenuContent>
            </Menu>
          </>
        )
      }
    >
      {isConnected ? (
        <Connected mode={mode} connection={connection} onWebhook={() => setAction("webhook")} />
      ) : (
        <p className="text-soft">
          Connect the same account again to capture, void or refund its payments.{" "}
          <ReconciliationLink mode={mode} connection={connection} />
        </p>
      )}
      {action === "edit" && <ReplaceDialog {...dialog} />}
      {action === "webhook" && <WebhookDialog {...dialog} />}
      {action === "cards" && <RawCardsDialog {...dialog} />}
      {action === "metadata" && <MetadataDialog {...dialog} />}
      {action === "default" && <DefaultDialog {...dialog} />}
      {action === "disconnect" && <DisconnectDialog kept={kept} {...dialog} />}
    </Card>
  );
}

/** Results of the comparisons with the processor's own list. */
function ReconciliationLink({ mode, connection }: { mode: Mode; connection: Connection }) {
  return (
    <Link
      href={`/${mode}/settings/processors/${connection.id}/reconciliation`}
      prefetch={false}
      className="text-accent underline"
    >
      Reconciliation
    </Link>
  );
}

type ConnectedProps = { mode: Mode; connection: Connection; onWebhook: () => void };

function Connected({ mode, connection, onWebhook }: ConnectedProps) {
  const { hint, check_problem, checked_at, takes_webhooks, last_webhook_at, webhook_url, raw_cards } = connection;
  return (
    <div className="grid gap-3">
      {check_problem && (
        <Banner tone="red" title="The processor rejects the credentials">
          {check_problem}
        </Banner>
      )}
      {!takes_webhooks && (
        <Banner
          tone="amber"
          title="Webhooks are not set up yet"
          actions={
            <Button size="sm" onClick={onWebhook}>
              Set up
            </Button>
          }
        >
          Without them, refunds that fail later and disputes arrive late or not at all.
        </Banner>
      )}
      <Facts
        items={[
          { term: "Credentials", value: <span className="font-mono text-xs">{hint}</span> },
          {
            term: "Last checked",
            value: (
              <>
                <Time at={checked_at} />
                {check_problem ? "" : ", works"}
              </>
            ),
          },
          { term: "Webhook address", value: <CopyId id={webhook_url} label="Copy the webhook address" /> },
          { term: "Last webhook", value: last_webhook_at ? <Time at={last_webhook_at} /> : "None received yet" },
          {
            term: "Card numbers",
            value: raw_cards ? "From the payment form" : "Only through the processor’s own fields",
          },
          {
            term: "Compared nightly",
            value: <ReconciliationLink mode={mode} connection={connection} />,
          },
        ]}
      />
    </div>
  );
}

/** Checks the connection now; the card shows the result. */
function CheckButton({ mode, connection }: { mode: Mode; connection: Connection }) {
  const { press, pending } = usePress(async () => {
    const params = { mode, id: connection.id };
    const path = "POST /api/dashboard/{mode}/processors/{id}/check";
    const { data } = await callApi(path, { params, body: {} });
    if (data.check_problem) toast.error(data.check_problem);
    else toast.success(`${connection.label} works`);
  });

  return (
    <Button size="sm" icon={<RefreshCw aria-hidden="true" />} pending={pending} onClick={() => press()}>
      Test
    </Button>
  );
}
