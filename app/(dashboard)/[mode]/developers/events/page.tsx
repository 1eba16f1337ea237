import { Zap } from "lucide-react";
import type { Metadata } from "next";
import { EventTable } from "@/components/events/event-table";
import { PageFilters } from "@/components/lists/page-filters";
import { EmptyState, NoMatches, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { listEventsQuery } from "@/lib/contract/events/endpoints";
import { EVENT_TYPES } from "@/lib/contract/events/event";
import { type FilterRows, oneOfRow } from "@/lib/contract/lists/filters";
import { listEvents } from "@/lib/domain/events/read-events";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Events" };

const FILTERS: FilterRows = [
  oneOfRow("type", "Type", EVENT_TYPES, Object.fromEntries(EVENT_TYPES.map((type) => [type, type]))),
  ["object_id", { kind: "text", max: 64, param: "object_id", label: "Object", form: "Object" }],
];

type EventsPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function EventsPage({ params, searchParams }: EventsPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("event.read")) return <NoPermission what="events" />;
  const path = `/${page.mode}/developers/events`;
  const header = (
    <PageHeader
      title="Events"
      description="Everything that happened in the last 90 days, as sent to your webhook endpoints."
    />
  );
  const query = listEventsQuery.safeParse(await searchParams);
  if (!query.success) {
    return (
      <>
        {header}
        <WrongFilter what="events" path={path} issues={query.error.issues} />
      </>
    );
  }
  const { type = null, object_id: objectId = null } = query.data;
  const events = await listEvents(page.ctx, query.data);
  const href = withFilters(path, { type, object_id: objectId });
  if (events.total === 0 && href === path) {
    return (
      <>
        {header}
        <EmptyState
          icon={<Zap aria-hidden="true" />}
          title="Nothing has happened yet"
          description="Every change to a payment, subscription, invoice, dispute, payout, plan or API key is an event."
        />
      </>
    );
  }
  return (
    <>
      {header}
      <PageFilters path={path} what="events" rows={FILTERS} values={{ type, object_id: objectId }} />
      {events.data.length > 0 ? (
        <EventTable events={events.data} path={path} />
      ) : (
        <NoMatches what="events" path={path} first={href} total={events.total} />
      )}
      <PageLinks what="events" page={events} href={href} />
    </>
  );
}
