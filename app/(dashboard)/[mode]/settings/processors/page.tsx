import { Plug } from "lucide-react";
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { ConnectionCard, ConnectProcessor } from "@/components/processors/connection-list";
import { RulesEditor } from "@/components/processors/rules-editor";
import { Banner } from "@/components/ui/banner";
import { EmptyState, NoPermission } from "@/components/ui/empty-state";
import { SectionHeader } from "@/components/ui/page-header";
import { CURRENCIES } from "@/lib/contract/currencies";
import { listProcessors } from "@/lib/domain/processors/connections";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Processors" };

type ProcessorsPageProps = { params: Promise<{ mode: string }> };

export default async function ProcessorsPage({ params }: ProcessorsPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("settings.manage")) return <NoPermission what="processors" />;
  const { mode, ctx } = page;
  const { connections, rules, kept } = await listProcessors(ctx);
  const { connectors: kinds, processors } = ctx.service;
  const connectors = kinds.map(({ key, label, fields, webhook, takesMetadata = false }) => ({
    key,
    label,
    where: webhook.where,
    events: webhook.events,
    takesMetadata,
    fields: fields.map(({ name, label, help, secret, webhook: late }) => ({
      name,
      label,
      help,
      secret,
      webhook: late,
    })),
  }));
  const connected = connections.filter(({ status }) => status === "CONNECTED");
  const mayTakeCards = processors.connecting?.allowsRawCards(mode) ?? false;
  const connect = <ConnectProcessor mode={mode} connectors={connectors} />;
  return (
    <>
      <SectionHeader
        title="Processors"
        description={
          mode === "live"
            ? "The card processors that take your live payments."
            : "The card processors that take your test payments. The sandbox is always available."
        }
        actions={connections.length > 0 && connect}
      />
      <div className="grid gap-4">
        {connected.length === 0 && (
          <NotConnected
            mode={mode}
            operator={processors.connecting?.operator ?? null}
            connect={connections.length === 0 && connect}
          />
        )}
        {connections.map((connection) => {
          const connector = connectors.find(({ key }) => key === connection.processor);
          const there = kept.get(connection.id);
          return (
            connector && (
              <ConnectionCard key={connection.id} {...{ mode, connection, connector, mayTakeCards, kept: there }} />
            )
          );
        })}
        {connected.length > 0 && (
          <RulesEditor mode={mode} rules={rules} connections={connected} currencies={CURRENCIES} />
        )}
      </div>
    </>
  );
}

type NotConnectedProps = { mode: "test" | "live"; operator: string | null; connect: ReactNode };

/** Explains how payments behave while no processor is connected. */
function NotConnected({ mode, operator, connect }: NotConnectedProps) {
  const [title, description] = wordsFor(mode, operator);
  if (!connect) return <Banner title={title}>{description}</Banner>;
  return <EmptyState icon={<Plug aria-hidden="true" />} title={title} description={description} actions={connect} />;
}

function wordsFor(mode: "test" | "live", operator: string | null): [title: string, description: string] {
  if (mode === "test") {
    return [
      "Test payments go to the sandbox",
      "Its test cards decline, require 3-D Secure or respond late, without a processor. To try your own account before you go live, connect a processor’s test mode: new test payments then go there instead.",
    ];
  }
  if (operator !== null) {
    return [
      `Live payments go through this service’s ${operator} account`,
      "The operator set it up for all merchants. If you connect your own account, new live payments go there instead.",
    ];
  }
  return [
    "No live processor is connected",
    "Live payments are refused until you connect your account at a card processor. You need its API credentials. Afterwards, you add a webhook address in the processor’s dashboard.",
  ];
}
