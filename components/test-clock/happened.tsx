"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { objectHref } from "@/components/events/event-table";
import { Banner } from "@/components/ui/banner";
import { callApi, failureText } from "@/lib/client/api";
import type { Event, EventType } from "@/lib/contract/events/event";
import { cardText, dayText, moneyText } from "@/lib/contract/format";

/** Max page size of the events API, and pages that are read. */
const PAGE_SIZE = 100;
const MAX_PAGES = 5;
/** Objects named per type of event. */
const MAX_NAMED = 6;
const EVENTS_PAGE = "/test/developers/events";

/**
 * Headings of what an advance causes; types that aren't here only repeat it, and are left to the list of
 * events.
 */
const HEADINGS: Partial<Record<EventType, string>> = {
  "subscription.trial_will_end": "Trials about to end",
  "subscription.activated": "Subscriptions now active",
  "subscription.past_due": "Subscriptions past due",
  "subscription.cancelled": "Subscriptions ended",
  "subscription.expired": "Subscriptions that never began",
  "invoice.paid": "Invoices paid",
  "invoice.payment_failed": "Invoice payments that failed",
  "invoice.voided": "Invoices voided",
  "invoice.uncollectible": "Invoices marked as uncollectible",
  "payment.voided": "Authorizations that expired",
  "payment.declined": "Payments declined",
  "payment.settled": "Payments settled",
  "settlement_batch.created": "Settlement batches",
  "payout.paid": "Payouts that arrived",
  "payout.failed": "Payouts that the bank refused",
  "client_session.expired": "Client sessions that expired",
  "payment_method.updated": "Cards renewed by their network",
};

/** Results of an advance in words, each linked to its object. */
export function Happened({ since, until }: { since: string; until: string }) {
  const { data, error } = useQuery({
    queryKey: ["test-clock-events", since, until],
    queryFn: ({ signal }) => readEvents(since, until, signal),
  });
  if (error) return <Banner tone="red">{failureText(error)}</Banner>;
  if (!data) return <p className="text-soft">Loading events…</p>;
  const { events, hasMore } = data;
  if (events.length === 0) return <p className="text-soft">Nothing was due.</p>;
  const groups = Map.groupBy(
    events.toReversed().filter(({ type, data: { object } }) => HEADINGS[type] && !repeatsInvoice(object)),
    ({ type }) => type,
  );
  return (
    <>
      <h3 className="mb-2 font-medium">{hasMore ? `The last ${events.length} events` : "What happened"}</h3>
      <dl className="flex flex-col gap-3">
        {[...groups].map(([type, ofType]) => (
          <Group key={type} type={type} events={ofType} />
        ))}
      </dl>
      <p className="mt-4">
        <Link href={EVENTS_PAGE} className="text-accent hover:underline">
          All events
        </Link>
      </p>
    </>
  );
}

/** Events between two times, newest first. */
async function readEvents(since: string, until: string, signal: AbortSignal) {
  const events: Event[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const after = events.at(-1)?.id;
    const query = {
      created_after: since,
      created_before: until,
      limit: PAGE_SIZE,
      ...(after && { starting_after: after }),
    };
    const { data } = await callApi("GET /v1/events", { mode: "test", query: query as never, signal });
    events.push(...(data.data as Event[]));
    if (!data.has_more) return { events, hasMore: false };
  }
  return { events, hasMore: true };
}

/** An invoice's payment, left out because the invoice has its own event. */
const repeatsInvoice = (object: Event["data"]["object"]): boolean =>
  object.object === "payment" && object.invoice_id !== null && object.status === "DECLINED";

function Group({ type, events }: { type: EventType; events: readonly Event[] }) {
  const named = events.slice(0, MAX_NAMED);
  const more = events.length - named.length;
  return (
    <div>
      <dt className="flex items-baseline justify-between gap-4">
        {HEADINGS[type]} <span className="text-soft tabular-nums">{events.length}</span>
      </dt>
      <dd>
        <ul className="flex flex-wrap gap-x-3">
          {named.map(({ id, data: { object } }) => (
            <li key={id}>
              <Link
                href={objectHref(object.id, "test") ?? `${EVENTS_PAGE}/${id}`}
                className="text-accent [overflow-wrap:anywhere] hover:underline"
              >
                {nameOf(object)}
              </Link>
            </li>
          ))}
          {more > 0 && (
            <li>
              <Link href={`${EVENTS_PAGE}?type=${type}`} className="text-soft hover:text-ink hover:underline">
                {more} more
              </Link>
            </li>
          )}
        </ul>
      </dd>
    </div>
  );
}

function nameOf(object: Event["data"]["object"]): string {
  switch (object.object) {
    case "invoice":
      return `${object.number ?? "Draft"} ${moneyText(object.amount_due, object.currency)}`;
    case "subscription":
      return `${object.plan.name}, ${object.customer_id}`;
    case "payment":
      return moneyText(object.amount, object.currency);
    case "client_session":
      return object.amount === null || object.currency === null
        ? `Card of ${object.customer_id}`
        : moneyText(object.amount, object.currency);
    case "settlement_batch":
      return moneyText(object.net_amount, object.currency);
    case "payout":
      return `${moneyText(object.amount, object.currency)}, ${dayText(object.arrival_date)}`;
    case "payment_method":
      return cardText(object.card?.brand ?? null, object.card?.last4 ?? null);
    default:
      return object.id;
  }
}
