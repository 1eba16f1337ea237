import Link from "next/link";
import { ColumnHeads } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import type { Event } from "@/lib/contract/events/event";
import { decodeId } from "@/lib/contract/ids";
import type { Mode } from "@/lib/contract/transactions/words";

const COLUMNS = [
  ["Type", "pr-4"],
  ["Object", "w-80 pr-4 max-md:hidden"],
  ["Created", "w-36 max-sm:hidden"],
] as const;

/** A page of events, each linked to its content. */
export function EventTable({ events, path }: { events: readonly Event[]; path: string }) {
  return (
    <table className="w-full border-t text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Events, newest first</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {events.map((event) => (
          <tr key={event.id} className="relative h-10 border-b hover:bg-raised">
            <td className="py-2 pr-4 align-middle">
              <Link
                href={`${path}/${event.id}`}
                className="block font-mono text-xs [overflow-wrap:anywhere] after:absolute after:inset-0 sm:truncate"
              >
                {event.type}
              </Link>
              <span className="text-soft text-xs sm:hidden">
                <Time at={event.created_at} />
              </span>
            </td>
            <td className="truncate py-2 pr-4 align-middle font-mono text-soft text-xs max-md:hidden">
              {event.data.object.id}
            </td>
            <td className="relative py-2 align-middle text-soft max-sm:hidden">
              <Time at={event.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const PAGES = [
  ["payment", "payments"],
  ["transaction", "transactions"],
  ["plan", "plans"],
  ["subscription", "subscriptions"],
  ["invoice", "invoices"],
  ["clientSession", "checkout"],
  ["apiKey", "developers/api-keys"],
  ["settlementBatch", "settlement-batches"],
  ["payout", "payouts"],
  ["dispute", "disputes"],
  ["paymentMethod", "payment-methods"],
  ["paymentLink", "checkout/links"],
  ["webhookEndpoint", "developers/webhooks"],
] as const;

/** Page of an event's object; null if it has none. */
export function objectHref(id: string, mode: Mode): string | null {
  const found = PAGES.find(([kind]) => decodeId(kind, id) !== null);
  return found ? `/${mode}/${found[1]}/${id}` : null;
}
