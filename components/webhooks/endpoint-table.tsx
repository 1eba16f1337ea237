import Link from "next/link";
import { Banner } from "@/components/ui/banner";
import { Card, Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { ColumnHeads } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import type {
  DisabledReason,
  FailingEndpoint,
  LastResponse,
  WebhookEndpoint,
} from "@/lib/contract/webhooks/webhook-endpoint";
import { WithResponse } from "./delivery-table";

const COLUMNS = [
  ["Endpoint", "pr-4"],
  ["Events", "w-52 pr-4 max-md:hidden"],
  ["Status", "w-44 pr-4"],
  ["Created", "w-32 max-lg:hidden"],
] as const;

type EndpointTableProps = {
  endpoints: readonly WebhookEndpoint[];
  /** Failing endpoints, by id. */
  failing: ReadonlyMap<string, LastResponse>;
  path: string;
};

/** A page of endpoints, each linked to its deliveries. */
export function EndpointTable({ endpoints, failing, path }: EndpointTableProps) {
  return (
    <table className="w-full border-t text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Webhook endpoints, newest first</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {endpoints.map((endpoint) => (
          <tr key={endpoint.id} className="relative h-10 border-b hover:bg-raised">
            <td className="py-2 pr-4 align-middle">
              <Link
                href={`${path}/${endpoint.id}`}
                className="block font-medium [overflow-wrap:anywhere] after:absolute after:inset-0 sm:truncate"
                title={endpoint.url}
              >
                {endpoint.url}
              </Link>
              {endpoint.description && <span className="block truncate text-soft">{endpoint.description}</span>}
            </td>
            <td className="truncate py-2 pr-4 align-middle text-soft max-md:hidden">{typesText(endpoint)}</td>
            <td className="py-2 pr-4 align-middle max-sm:w-28 max-sm:pr-0 max-sm:text-right">
              <WithResponse
                status={failing.has(endpoint.id) ? "FAILING" : endpoint.status}
                last={failing.get(endpoint.id)}
              />
            </td>
            <td className="relative py-2 align-middle text-soft max-lg:hidden">
              <Time at={endpoint.created_at} style="date" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function typesText({ event_types: types }: WebhookEndpoint): string {
  const [first = "", ...more] = types;
  if (first === "*") return "All events";
  return more.length === 0 ? first : `${types.length} types`;
}

/** Warning on the list about failing endpoints and their upcoming deactivation. */
export function FailingEndpoints({ failing, path }: { failing: readonly FailingEndpoint[]; path: string }) {
  const [first] = failing;
  if (!first) return null;
  const title = failing.length === 1 ? "One endpoint is failing" : `${failing.length} endpoints are failing`;
  return (
    <Banner tone="amber" title={title} className="mb-5">
      <ul className="flex flex-col gap-0.5">
        {failing.map(({ id, url, since, disabledAt }) => (
          <li key={id} className="[overflow-wrap:anywhere]">
            <Link href={`${path}/${id}`} className="underline underline-offset-2">
              {url}
            </Link>{" "}
            has failed since <Time at={since} />. We disable it on <Time at={disabledAt} /> if it still fails.
          </li>
        ))}
      </ul>
    </Banner>
  );
}

const REASONS: Record<DisabledReason, { title: string; text: string }> = {
  manual: { title: "You disabled this endpoint", text: "No events are sent to it. Pending deliveries wait." },
  gone: {
    title: "Disabled: it returned 410 Gone",
    text: "Your server asked to receive no more events. Enable it again when it’s ready, or keep it disabled.",
  },
  failing: {
    title: "Disabled: every attempt failed for 5 days",
    text: "Once it works again, enable it and use “Send missed events”. Or keep it disabled.",
  },
};

/** Settings of an endpoint. */
export function EndpointFacts({ endpoint, failing }: { endpoint: WebhookEndpoint; failing: FailingEndpoint | null }) {
  const { disabled_reason: reason, event_types: types, public_key: publicKey } = endpoint;
  return (
    <>
      {reason && (
        <Banner tone={reason === "manual" ? "neutral" : "amber"} title={REASONS[reason].title} className="mb-5">
          {REASONS[reason].text}
        </Banner>
      )}
      {failing && (
        <Banner tone="amber" title="This endpoint is failing" className="mb-5">
          Every attempt has failed since <Time at={failing.since} />. We keep trying, and disable it on{" "}
          <Time at={failing.disabledAt} /> if it still fails. The deliveries below show its responses.
        </Banner>
      )}
      <Card className="mb-6">
        <Facts
          columns={2}
          items={[
            { term: "Events", value: types.includes("*") ? "All events" : types.join(", ") },
            { term: "Payload", value: endpoint.payload === "full" ? "Full" : "Ids only" },
            { term: "Signature", value: endpoint.signature === "v1" ? "HMAC-SHA256" : "HMAC-SHA256 and Ed25519" },
            ...(publicKey ? [{ term: "Public key", value: <CopyId id={publicKey} label="Copy public key" /> }] : []),
            { term: "Id", value: <CopyId id={endpoint.id} label="Copy endpoint id" /> },
            { term: "Created", value: <Time at={endpoint.created_at} /> },
          ]}
        />
      </Card>
    </>
  );
}
