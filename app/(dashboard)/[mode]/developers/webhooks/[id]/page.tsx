import type { Metadata } from "next";
import { PageFilters } from "@/components/lists/page-filters";
import { EmptyState, NoMatches, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { RefreshEvery } from "@/components/ui/time";
import { DeliveryTable, WithResponse } from "@/components/webhooks/delivery-table";
import { EndpointActions } from "@/components/webhooks/endpoint-actions";
import { EndpointFacts } from "@/components/webhooks/endpoint-table";
import { EVENT_TYPES } from "@/lib/contract/events/event";
import { titleId } from "@/lib/contract/format";
import { oneOfRow } from "@/lib/contract/lists/filters";
import { type ListWebhookDeliveriesQuery, listWebhookDeliveriesQuery } from "@/lib/contract/webhooks/endpoints";
import { DELIVERY_STATUSES } from "@/lib/contract/webhooks/webhook-endpoint";
import { listWebhookDeliveries } from "@/lib/domain/webhooks/deliveries";
import { getWebhookEndpoint } from "@/lib/domain/webhooks/endpoints";
import { listFailing, readFailingNow, readLastResponses } from "@/lib/domain/webhooks/failing-endpoints";
import { env } from "@/lib/env";
import { type DashboardPage, dashboardPage, orNotFound, type SearchParams } from "@/lib/http/page";

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  return { title: `Webhook endpoint ${titleId((await params).id)}` };
}

/** Refresh interval while a delivery is in progress. */
const REFRESH_MS = 3_000;

const FILTERS = [
  oneOfRow("status", "Status", DELIVERY_STATUSES),
  oneOfRow("event_type", "Event", EVENT_TYPES, Object.fromEntries(EVENT_TYPES.map((type) => [type, type]))),
];

type EndpointPageProps = {
  params: Promise<{ mode: string; id: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function EndpointPage({ params, searchParams }: EndpointPageProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("webhook_endpoint.read")) return <NoPermission what="webhooks" />;
  const endpoint = await orNotFound(getWebhookEndpoint(page.ctx, { id }));
  const failing = (await listFailing(page.ctx)).find((each) => each.id === endpoint.id) ?? null;
  const now = (await readFailingNow(page.ctx, [endpoint])).get(endpoint.id);
  const path = `/${page.mode}/developers/webhooks`;
  const query = listWebhookDeliveriesQuery.safeParse(await searchParams);
  return (
    <>
      <PageHeader
        title={endpoint.url}
        description={endpoint.description}
        crumbs={[{ label: "Webhooks", href: path }]}
        badge={<WithResponse status={now ? "FAILING" : endpoint.status} last={now} />}
        actions={
          page.can("webhook_endpoint.write") && (
            <EndpointActions
              {...{ endpoint, mode: page.mode, path, eventTypes: EVENT_TYPES, allowsLocal: env.webhookAllowLocal }}
            />
          )
        }
      />
      <EndpointFacts endpoint={endpoint} failing={failing} />
      <h2 className="mb-3 font-semibold text-[15px]">Deliveries</h2>
      {query.success ? (
        <Deliveries page={page} path={path} id={id} query={query.data} />
      ) : (
        <WrongFilter what="deliveries" path={`${path}/${id}`} issues={query.error.issues} />
      )}
    </>
  );
}

type DeliveriesProps = { page: DashboardPage; path: string; id: string; query: ListWebhookDeliveriesQuery };

async function Deliveries({ page, path, id, query }: DeliveriesProps) {
  const own = `${path}/${id}`;
  const { status = null, event_type: type = null } = query;
  const deliveries = await listWebhookDeliveries(page.ctx, { ...query, id });
  const href = withFilters(own, { status, event_type: type });
  if (deliveries.total === 0 && href === own) {
    return (
      <EmptyState
        title="No deliveries yet"
        description="They appear here with the next event. Send a test event to see one now."
      />
    );
  }
  return (
    <>
      <PageFilters path={own} what="deliveries" rows={FILTERS} values={{ status, event_type: type }} />
      {deliveries.data.length > 0 ? (
        <DeliveryTable
          deliveries={deliveries.data}
          responses={await readLastResponses(page.ctx, deliveries.data)}
          path={`${path}/deliveries`}
        />
      ) : (
        <NoMatches what="deliveries" path={own} first={href} total={deliveries.total} />
      )}
      <PageLinks what="deliveries" page={deliveries} href={href} />
      {deliveries.data.some((delivery) => delivery.status === "PENDING") && <RefreshEvery ms={REFRESH_MS} />}
    </>
  );
}
