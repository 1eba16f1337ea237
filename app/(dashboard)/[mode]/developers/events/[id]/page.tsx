import type { Metadata } from "next";
import Link from "next/link";
import { objectHref } from "@/components/events/event-table";
import { JsonView } from "@/components/payments/json-view";
import { Card, Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { EVENTS } from "@/lib/contract/events/event";
import { titleId } from "@/lib/contract/format";
import { findRequestOfEvent, getEvent } from "@/lib/domain/events/read-events";
import { dashboardPage, orNotFound } from "@/lib/http/page";

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  return { title: `Event ${titleId((await params).id)}` };
}

export default async function EventPage({ params }: { params: Promise<{ mode: string; id: string }> }) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("event.read")) return <NoPermission what="events" />;
  const event = await orNotFound(getEvent(page.ctx, { id }));
  const request = page.can("payment.read") ? await findRequestOfEvent(page.ctx, event) : null;
  const path = `/${page.mode}/developers/events`;
  const { object } = event.data;
  const { id: objectId } = object;
  const isHidden = object.object === "api_key" && !page.can("api_key.manage");
  const href = isHidden ? null : objectHref(objectId, page.mode);
  return (
    <>
      <PageHeader
        title={event.type}
        description={<WithCode text={EVENTS[event.type].summary} />}
        crumbs={[{ label: "Events", href: path }]}
      />
      <Card className="mb-6">
        <Facts
          columns={2}
          items={[
            { term: "Created", value: <Time at={event.created_at} /> },
            { term: "Id", value: <CopyId id={event.id} label="Copy event id" /> },
            {
              term: "Object",
              value: href ? (
                <Link href={href} className="font-mono text-accent text-xs hover:underline">
                  {objectId}
                </Link>
              ) : (
                <CopyId id={objectId} label="Copy object id" />
              ),
            },
            ...(object.object === "transaction"
              ? [
                  {
                    term: "Payment",
                    value: (
                      <Link
                        href={`/${page.mode}/payments/${object.payment_id}`}
                        className="font-mono text-accent text-xs hover:underline"
                      >
                        {object.payment_id}
                      </Link>
                    ),
                  },
                ]
              : []),
            { term: "Sequence", value: event.sequence },
            {
              term: "Caused by request",
              value: request && (
                <Link
                  href={`/${page.mode}/developers/requests/${request}`}
                  className="font-mono text-accent text-xs hover:underline"
                >
                  {request}
                </Link>
              ),
            },
            {
              term: "Related",
              value: (
                <Link href={`${path}?object_id=${objectId}`} className="text-accent hover:underline">
                  All events of this object
                </Link>
              ),
            },
            ...(page.can("payment.read")
              ? [
                  {
                    term: "Requests",
                    value: (
                      <Link
                        href={`/${page.mode}/developers/requests?q=${objectId}`}
                        className="text-accent hover:underline"
                      >
                        Requests about this object
                      </Link>
                    ),
                  },
                ]
              : []),
          ]}
        />
      </Card>
      <JsonView title="Event as it is sent" label="Event" value={event} open />
    </>
  );
}

/** Renders `backticks` in a sentence as code. */
function WithCode({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 1 ? (
      <code key={part} className="tick">
        {part}
      </code>
    ) : (
      part
    ),
  );
}
