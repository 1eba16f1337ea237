import Link from "next/link";
import { JsonView } from "@/components/payments/json-view";
import { HttpStatus } from "@/components/payments/request-list";
import { StatusBadge } from "@/components/ui/badge";
import { Card, Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { ColumnHeads } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import type { WebhookAttempt, WebhookDelivery } from "@/lib/contract/webhooks/webhook-delivery";
import type { LastResponse, Payload } from "@/lib/contract/webhooks/webhook-endpoint";

/** Request bodies of attempts by kind of payload; null if the user may not see events. */
type SentBodies = Readonly<Record<Payload, unknown>> | null;

const COLUMNS = [
  ["Event", "pr-4"],
  ["Status", "w-44 pr-4"],
  ["Attempts", "w-24 pr-4 max-md:hidden"],
  ["Next attempt", "w-36 pr-4 max-lg:hidden"],
  ["Created", "w-36 max-md:hidden"],
] as const;

type DeliveryTableProps = {
  deliveries: readonly WebhookDelivery[];
  /** Results of the latest attempts, by delivery. */
  responses: ReadonlyMap<string, LastResponse>;
  /** Base address of the delivery pages. */
  path: string;
};

/** A page of deliveries, each linked to its attempts. */
export function DeliveryTable({ deliveries, responses, path }: DeliveryTableProps) {
  return (
    <table className="w-full border-t text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Deliveries, newest first</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {deliveries.map((delivery) => {
          const last = responses.get(delivery.id);
          return (
            <tr key={delivery.id} className="relative h-10 border-b hover:bg-raised">
              <td className="py-2 pr-4 align-middle">
                <Link
                  href={`${path}/${delivery.id}`}
                  className="block font-mono text-xs [overflow-wrap:anywhere] after:absolute after:inset-0 sm:truncate"
                >
                  {delivery.event_type}
                </Link>
                <span className="text-soft text-xs md:hidden">
                  <Time at={delivery.created_at} />
                </span>
              </td>
              <td className="py-2 pr-4 align-middle max-sm:w-28 max-sm:pr-0 max-sm:text-right">
                <WithResponse status={deliveryStatus(delivery, last?.failed === true)} last={last} />
              </td>
              <td className="py-2 pr-4 align-middle tabular-nums max-md:hidden">{delivery.attempt_count}</td>
              <td className="relative py-2 pr-4 align-middle text-soft max-lg:hidden">
                {delivery.next_attempt_at ? <Time at={delivery.next_attempt_at} style="relative" /> : "–"}
              </td>
              <td className="relative py-2 align-middle text-soft max-md:hidden">
                <Time at={delivery.created_at} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Distinguishes a delivery that failed and will be retried from a pending one. */
export const deliveryStatus = ({ status }: Pick<WebhookDelivery, "status">, failed: boolean): string =>
  status === "PENDING" && failed ? "FAILING" : status;

/** A status with its HTTP code. */
export function WithResponse({ status, last }: { status: string; last: LastResponse | undefined }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5 max-sm:justify-end">
      <StatusBadge status={status} />
      {last && (
        <span className="whitespace-nowrap text-soft text-xs tabular-nums">
          {last.status === null ? "No response" : `HTTP ${last.status}`}
        </span>
      )}
    </span>
  );
}

type DeliveryFactsProps = {
  delivery: WebhookDelivery;
  /** Address of the event's page. */
  eventHref: string;
};

export function DeliveryFacts({ delivery, eventHref }: DeliveryFactsProps) {
  return (
    <Card className="mb-6">
      <Facts
        columns={2}
        items={[
          {
            term: "Event",
            value: (
              <Link href={eventHref} className="font-mono text-accent text-xs hover:underline">
                {delivery.event_id}
              </Link>
            ),
          },
          { term: "Created", value: <Time at={delivery.created_at} /> },
          { term: "Attempts", value: delivery.attempt_count },
          delivery.delivered_at
            ? { term: "Delivered", value: <Time at={delivery.delivered_at} /> }
            : { term: "Next attempt", value: delivery.next_attempt_at && <Time at={delivery.next_attempt_at} /> },
          { term: "Id", value: <CopyId id={delivery.id} label="Copy delivery id" /> },
        ]}
      />
    </Card>
  );
}

/** Requests and responses, newest first. */
export function AttemptList({ attempts, bodies }: { attempts: readonly WebhookAttempt[]; bodies: SentBodies }) {
  return (
    <ol className="flex flex-col gap-4">
      {attempts.map((attempt, index) => (
        <li key={attempt.created_at}>
          <Attempt
            name={`Attempt ${attempts.length - index} of ${attempts.length}`}
            attempt={attempt}
            bodies={bodies}
          />
        </li>
      ))}
    </ol>
  );
}

type AttemptProps = {
  /** For screen readers: two attempts may have the same status, minute and duration. */
  name: string;
  attempt: WebhookAttempt;
  bodies: SentBodies;
};

function Attempt({ name, attempt, bodies }: AttemptProps) {
  const { created_at, duration_ms, request, response, error } = attempt;
  return (
    <Card
      title={
        <span className="relative flex flex-wrap items-center gap-2">
          <span className="sr-only">{name}</span>
          {response ? <HttpStatus status={response.status} /> : <StatusBadge status="FAILED" />}
          <Time at={created_at} className="font-normal text-soft" />
          <span className="font-normal text-soft tabular-nums">{duration_ms.toLocaleString("en-US")} ms</span>
        </span>
      }
    >
      {error && <p className="mb-3 text-red [overflow-wrap:anywhere]">{error}</p>}
      <p className="mb-3 font-mono text-xs [overflow-wrap:anywhere]">POST {request.url}</p>
      <div className="flex flex-col gap-2">
        <JsonView title="Request headers" label="Request headers" value={request.headers} />
        {bodies && <JsonView title="Request body" label="Request body" value={bodies[request.payload]} />}
        {response && response.body !== "" && (
          <JsonView title="Response body" label="Response body" value={readable(response.body)} />
        )}
      </div>
    </Card>
  );
}

/** Parses JSON; other bodies stay text. */
function readable(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
