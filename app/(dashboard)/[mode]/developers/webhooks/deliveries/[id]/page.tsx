import type { Metadata } from "next";
import { StatusBadge } from "@/components/ui/badge";
import { EmptyState, NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/time";
import { AttemptList, DeliveryFacts, deliveryStatus } from "@/components/webhooks/delivery-table";
import { ResendDelivery } from "@/components/webhooks/endpoint-actions";
import { titleId } from "@/lib/contract/format";
import { getEvent } from "@/lib/domain/events/read-events";
import { messageBody } from "@/lib/domain/webhooks/deliver";
import { getWebhookDelivery } from "@/lib/domain/webhooks/deliveries";
import { getWebhookEndpoint } from "@/lib/domain/webhooks/endpoints";
import { dashboardPage, orNotFound } from "@/lib/http/page";

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  return { title: `Webhook delivery ${titleId((await params).id)}` };
}

const REFRESH_MS = 3_000;

export default async function DeliveryPage({ params }: { params: Promise<{ mode: string; id: string }> }) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("webhook_endpoint.read")) return <NoPermission what="webhooks" />;
  const delivery = await orNotFound(getWebhookDelivery(page.ctx, { id }));
  const endpoint = await orNotFound(getWebhookEndpoint(page.ctx, { id: delivery.webhook_endpoint_id }));
  const event = page.can("event.read") ? await orNotFound(getEvent(page.ctx, { id: delivery.event_id })) : null;
  const bodies = event && { full: event, thin: JSON.parse(messageBody(event, "thin")) as unknown };
  const path = `/${page.mode}/developers`;
  const canResend = page.can("webhook_endpoint.write") && endpoint.status === "ENABLED";
  return (
    <>
      <PageHeader
        title={delivery.event_type}
        crumbs={[
          { label: "Webhooks", href: `${path}/webhooks` },
          { label: endpoint.url, href: `${path}/webhooks/${endpoint.id}` },
        ]}
        badge={<StatusBadge status={deliveryStatus(delivery, (delivery.attempts[0]?.error ?? null) !== null)} />}
        actions={canResend && <ResendDelivery id={delivery.id} mode={page.mode} />}
      />
      <DeliveryFacts delivery={delivery} eventHref={`${path}/events/${delivery.event_id}`} />
      <h2 className="mb-3 font-semibold text-[15px]">Attempts</h2>
      {delivery.attempts.length === 0 ? (
        <EmptyState title="Not sent yet" description="The first attempt follows within seconds." />
      ) : (
        <AttemptList attempts={delivery.attempts} bodies={bodies} />
      )}
      {delivery.status === "PENDING" && <RefreshEvery ms={REFRESH_MS} />}
    </>
  );
}
