import { Actor } from "@/components/payments/actor";
import { JsonView } from "@/components/payments/json-view";
import { HttpStatus } from "@/components/payments/request-list";
import { CopyId } from "@/components/ui/copy-id";
import { Time } from "@/components/ui/time";
import type { ApiRequest } from "@/lib/contract/dashboard/payment-detail";

const times = (count: number) => (count === 1 ? "once" : `${count} times`);

/** The keys under which the payment was acted on: first use, stored answer, replays and reuses. */
export function KeyUses({ requests }: { requests: readonly ApiRequest[] }) {
  if (requests.length === 0) {
    return <p className="p-4 text-[13px] text-soft">None kept: they are kept for as long as they can be repeated.</p>;
  }
  return (
    <ul className="divide-y">
      {requests.map((request) => (
        <li key={request.key} className="flex min-w-0 flex-col gap-1 px-4 py-2.5 text-[13px]">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <CopyId id={request.key} label="Copy idempotency key" />
            <HttpStatus status={request.status} />
            <Time at={request.at} className="ml-auto text-soft text-xs" />
          </div>
          <code className="font-mono text-xs [overflow-wrap:anywhere]">
            {request.method} {request.path}
          </code>
          <p className="text-soft text-xs">
            By <Actor actor={request.actor} />
            {request.replay_count > 0 && ` · replayed ${times(request.replay_count)}`}
            {request.reuse_count > 0 && ` · refused ${times(request.reuse_count)} for another request`}
          </p>
          <CopyId id={request.request_id} short label="Copy request id" className="text-soft" />
          {request.body !== null && (
            <JsonView title="Request body" value={request.body} label={`Body of ${request.request_id}`} />
          )}
          {request.response !== null && (
            <JsonView title="Stored answer" value={request.response} label={`Answer to ${request.request_id}`} />
          )}
        </li>
      ))}
    </ul>
  );
}
