import { CopyId } from "@/components/ui/copy-id";
import { Time } from "@/components/ui/time";
import type { PaymentEvent } from "@/lib/contract/dashboard/payment-detail";

/** What was told to the outside world, newest first. */
export function EventList({ events }: { events: PaymentEvent[] }) {
  if (events.length === 0) return <p className="p-4 text-[13px] text-soft">No events yet.</p>;
  return (
    <ul className="divide-y">
      {events.map((event) => (
        <li key={event.id} className="flex flex-wrap items-center gap-x-3 px-4 py-1.5 text-[13px]">
          <code className="font-mono text-xs">{event.type}</code>
          <span className="text-soft">
            <CopyId id={event.id} short label="Copy event id" />
          </span>
          <Time at={event.at} className="ml-auto text-soft text-xs" />
        </li>
      ))}
    </ul>
  );
}
