import Link from "next/link";
import { Badge } from "@/components/ui/badge";
import { Time } from "@/components/ui/time";
import { shortId } from "@/lib/contract/format";
import type { ShownActor, ShownRequest } from "@/lib/contract/payments/payment-detail";
import type { Mode } from "@/lib/contract/transactions/words";
import { JsonView } from "./json-view";

/** API requests behind the payment, newest first: masked bodies and stored responses. */
export function RequestList({ requests, mode }: { requests: ShownRequest[]; mode: Mode }) {
  if (requests.length === 0) {
    return (
      <p className="p-4 text-[13px] text-soft">
        No requests. They are shown for 24 hours, as long as their idempotency keys are kept.
      </p>
    );
  }
  return (
    <ul className="divide-y">
      {requests.map((request) => (
        <li key={request.key} className="flex min-w-0 flex-col gap-1.5 px-4 py-3 text-[13px]">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <code className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">
              <span className="font-medium">{request.method}</span> {request.path}
            </code>
            <HttpStatus status={request.status} />
            <Time at={request.at} className="ml-auto text-soft text-xs" />
          </div>
          <p className="text-soft text-xs">
            By <Actor actor={request.actor} inSentence />
          </p>
          <div className="flex min-w-0 flex-wrap items-center gap-x-3 text-soft text-xs">
            <Link
              href={`/${mode}/developers/idempotency?key=${encodeURIComponent(request.key)}`}
              className="min-w-0 truncate font-mono text-accent leading-6 hover:underline"
            >
              {request.key}
            </Link>
            <Link
              href={`/${mode}/developers/requests/${request.request_id}`}
              className="inline-flex min-h-6 items-center font-mono hover:underline"
            >
              {shortId(request.request_id)}
            </Link>
          </div>
          {(request.replay_count > 0 || request.reuse_count > 0) && <Uses request={request} />}
          <div className="mt-1 flex flex-col gap-1.5">
            {request.too_long && (
              <p className="text-soft text-xs">
                The request and response are too long to show here. Open the key to see them.
              </p>
            )}
            {request.body !== null && (
              <JsonView title="Request body" value={request.body} label={`Body of ${request.request_id}`} />
            )}
            {request.response !== null && (
              <JsonView title="Stored response" value={request.response} label={`Response to ${request.request_id}`} />
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Uses({ request }: { request: ShownRequest }) {
  return (
    <p className="text-xs">
      {request.replay_count > 0 && `Replayed ${times(request.replay_count)} from the stored response. `}
      {request.reuse_count > 0 && `Refused ${times(request.reuse_count)} for a different request with this key.`}
    </p>
  );
}

export const times = (count: number) => (count === 1 ? "once" : `${count} times`);

/** An HTTP status in its color; null means no response yet. */
export function HttpStatus({ status }: { status: number | null }) {
  if (status === null) return <Badge tone="amber">No response yet</Badge>;
  return (
    <Badge tone={status < 300 ? "green" : "red"}>
      <span className="sr-only">HTTP status </span>
      {status}
    </Badge>
  );
}

type ActorProps = {
  actor: ShownActor;
  /** After a word such as “By”. */
  inSentence?: boolean;
};

/** Name of an actor, and an identifier if two share a name. */
export function Actor({ actor, inSentence = false }: ActorProps) {
  const isDescribed = actor.type === "shopper" || actor.type === "customer" || actor.detail === null;
  return (
    <span className="[overflow-wrap:anywhere]">
      {inSentence && isDescribed
        ? actor.name.replace(/^(?:An?|The)(?= )/, (article) => article.toLowerCase())
        : actor.name}
      {actor.detail && (
        <span className={actor.type === "api_key" ? "font-mono text-soft" : "text-soft"}> · {actor.detail}</span>
      )}
    </span>
  );
}
