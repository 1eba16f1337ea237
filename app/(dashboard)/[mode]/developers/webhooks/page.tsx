import { Webhook } from "lucide-react";
import type { Metadata } from "next";
import { EmptyState, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks } from "@/components/ui/page-links";
import { NewEndpoint } from "@/components/webhooks/endpoint-actions";
import { EndpointTable, FailingEndpoints } from "@/components/webhooks/endpoint-table";
import { EVENT_TYPES } from "@/lib/contract/events/event";
import { listWebhookEndpointsQuery } from "@/lib/contract/webhooks/endpoints";
import { listWebhookEndpoints } from "@/lib/domain/webhooks/endpoints";
import { listFailing, readFailingNow } from "@/lib/domain/webhooks/failing-endpoints";
import { env } from "@/lib/env";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Webhooks" };

type WebhooksPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function WebhooksPage({ params, searchParams }: WebhooksPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("webhook_endpoint.read")) return <NoPermission what="webhooks" />;
  const path = `/${page.mode}/developers/webhooks`;
  const create = page.can("webhook_endpoint.write") && (
    <NewEndpoint {...{ mode: page.mode, path, eventTypes: EVENT_TYPES, allowsLocal: env.webhookAllowLocal }} />
  );
  const query = listWebhookEndpointsQuery.safeParse(await searchParams);
  if (!query.success) {
    return (
      <>
        <PageHeader title="Webhooks" actions={create} />
        <WrongFilter what="endpoints" path={path} issues={query.error.issues} />
      </>
    );
  }
  const [endpoints, failing] = await Promise.all([listWebhookEndpoints(page.ctx, query.data), listFailing(page.ctx)]);
  if (endpoints.total === 0) {
    return (
      <>
        <PageHeader title="Webhooks" />
        <EmptyState
          icon={<Webhook aria-hidden="true" />}
          title="No webhook endpoints yet"
          description="Get notified when a payment is captured, a refund fails or a plan changes. Messages are signed and retried until your server accepts them."
          curlTitle="Create your first endpoint"
          curl={curl(page.ctx.service.baseUrl)}
          actions={create}
        />
      </>
    );
  }
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Where your events go. Each message is signed and retried until it arrives."
        actions={create}
      />
      <FailingEndpoints failing={failing} path={path} />
      <EndpointTable endpoints={endpoints.data} failing={await readFailingNow(page.ctx, endpoints.data)} path={path} />
      <PageLinks what="endpoints" page={endpoints} href={path} />
    </>
  );
}

const curl = (baseUrl: string) => `curl -X POST ${baseUrl}/v1/webhook-endpoints \\
  -H "X-Api-Key: $CARDLANE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "url": "https://example.com/webhooks",
    "event_types": ["payment.captured"]
  }'`;
