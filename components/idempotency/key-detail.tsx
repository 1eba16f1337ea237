"use client";

import { useQuery } from "@tanstack/react-query";
import { Check, Clock, Hourglass, LoaderCircle } from "lucide-react";
import Link from "next/link";
import { JsonView } from "@/components/payments/json-view";
import { Actor, HttpStatus } from "@/components/payments/request-list";
import { Badge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Card, Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import { callApi, failureText } from "@/lib/client/api";
import { shortId } from "@/lib/contract/format";
import type { KeyDetail as Detail, Difference, KeyState } from "@/lib/contract/idempotency/idempotency-key";
import type { Mode } from "@/lib/contract/transactions/words";

const OPEN_MS = 2_000;
const ANSWERED_MS = 10_000;

/** An idempotency key: its request, the result, and the response to a retry now. */
export function KeyDetail({ initial, mode }: { initial: Detail; mode: Mode }) {
  const { data: detail, error } = useQuery({
    queryKey: ["idempotency-key", mode, initial.key],
    queryFn: async ({ signal }) =>
      (
        await callApi("GET /api/dashboard/{mode}/idempotency-key", {
          params: { mode },
          query: { key: initial.key },
          signal,
        })
      ).data,
    initialData: initial,
    refetchInterval: ({ state }) =>
      state.data?.state === "running" || state.data?.state === "waiting" ? OPEN_MS : ANSWERED_MS,
  });
  return (
    <section aria-labelledby="key-heading" className="flex flex-col gap-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id="key-heading" className="min-w-0 [overflow-wrap:anywhere]">
          <CopyId id={detail.key} label="Copy the key" className="font-medium text-sm" />
        </h2>
        <output>
          <KeyStateBadge state={detail.state} />
        </output>
      </header>
      {error && (
        <Banner tone="amber" title="Not up to date">
          {failureText(error)}
        </Banner>
      )}
      <Banner
        tone={detail.state === "done" || detail.state === "expired" ? "neutral" : "amber"}
        title="What a retry would do now"
      >
        {detail.retry}
      </Banner>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <FirstRequest detail={detail} mode={mode} />
        <StoredResponse detail={detail} mode={mode} />
      </div>
      <KeyReuse detail={detail} />
    </section>
  );
}

function FirstRequest({ detail, mode }: { detail: Detail; mode: Mode }) {
  return (
    <Card title="First request">
      <Facts
        items={[
          {
            term: "Endpoint",
            value: (
              <code className="font-mono text-xs [overflow-wrap:anywhere]">
                <span className="font-medium">{detail.method}</span> {detail.path}
              </code>
            ),
          },
          { term: "By", value: <Actor actor={detail.actor} /> },
          { term: "Time", value: <Time at={detail.created_at} /> },
          {
            term: "Request",
            value: (
              <Link
                href={`/${mode}/developers/requests/${detail.request_id}`}
                className="font-mono text-accent text-xs hover:underline"
              >
                {shortId(detail.request_id)}
              </Link>
            ),
          },
        ]}
      />
      <div className="mt-2">
        {!detail.bodies_shown ? (
          <p className="text-soft">Body: your role doesn’t include this endpoint.</p>
        ) : detail.body === null ? (
          <p className="text-soft">It had no body, or the body wasn’t stored.</p>
        ) : (
          <JsonView
            open
            title="Body, without card number and security code"
            value={detail.body}
            label="Body of the first request"
          />
        )}
      </div>
    </Card>
  );
}

function StoredResponse({ detail, mode }: { detail: Detail; mode: Mode }) {
  const { effect } = detail;
  return (
    <Card title="Result">
      <Facts
        items={[
          { term: "Response", value: <HttpStatus status={detail.status} /> },
          { term: "Completed", value: detail.completed_at && <Time at={detail.completed_at} /> },
          {
            term: detail.state === "expired" ? "Expired" : "Expires",
            value: <Time at={detail.expires_at} />,
          },
          {
            term: "Payment",
            value: effect ? (
              <Link
                href={`/${mode}/payments/${effect.payment_id}`}
                className="font-mono text-accent text-xs hover:underline"
              >
                {effect.payment_id}
              </Link>
            ) : null,
          },
          {
            term: "Operation",
            value:
              effect && `${OPERATION_WORDS[effect.kind] ?? effect.kind}: ${STATE_WORDS[effect.state] ?? effect.state}`,
          },
          { term: "Replays", value: <Replays detail={detail} /> },
        ]}
      />
      <div className="mt-2">
        {detail.bodies_shown && detail.sealed && (
          <p className="text-soft">
            The response contains a secret that is shown only once, so it is stored encrypted.
          </p>
        )}
        {!detail.bodies_shown && <p className="text-soft">Response: your role doesn’t include this endpoint.</p>}
        {detail.bodies_shown && detail.too_long && (
          <p className="text-soft">The stored response is too long to show. A retry still gets all of it.</p>
        )}
        {detail.response !== null && (
          <JsonView title="Stored response" value={detail.response} label="The stored response" />
        )}
      </div>
    </Card>
  );
}

const OPERATION_WORDS: Record<string, string> = {
  authorize: "Payment",
  continue: "Payment after 3-D Secure",
  capture: "Capture",
  void: "Void",
  refund: "Refund",
};
const STATE_WORDS: Record<string, string> = {
  open: "outcome not known yet",
  succeeded: "succeeded",
  declined: "declined",
  failed: "failed",
  action_required: "waiting for the shopper",
};

function Replays({ detail }: { detail: Detail }) {
  if (detail.replay_count === 0) return "None";
  return (
    <>
      {detail.replay_count === 1 ? "1 time" : `${detail.replay_count} times`}
      {detail.last_replayed_at && (
        <span className="text-soft">
          , last <Time at={detail.last_replayed_at} />
        </span>
      )}
    </>
  );
}

/** Refused reuses of the key with other parameters, and the differences by member. */
function KeyReuse({ detail }: { detail: Detail }) {
  const { reuse, reuse_count: count } = detail;
  if (!reuse) return null;
  return (
    <Card
      title={count === 1 ? "Refused once for a different request" : `Refused ${count} times for different requests`}
      description={
        <>
          The last one <Time at={reuse.at} />, by <Actor actor={reuse.actor} inSentence />
        </>
      }
      actions={<CopyId id={reuse.request_id} short label="Copy request id" />}
      flush
    >
      {reuse.differences.length > 0 && <Differences differences={reuse.differences} />}
      {!(detail.bodies_shown && reuse.body_shown) ? (
        <p className="p-4 text-[13px] text-soft">Bodies aren’t compared: your role doesn’t include these endpoints.</p>
      ) : (
        reuse.differences.length === 0 && (
          <p className="p-4 text-[13px]">
            All stored parameters match. The difference is in what is not stored: the card number or payment token.
          </p>
        )
      )}
    </Card>
  );
}

function Differences({ differences }: { differences: Difference[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    <section aria-label="Differences" tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-left text-[13px]">
        <caption className="sr-only">Fields that differ between the first request and the last refused one</caption>
        <thead className="text-soft text-xs">
          <tr className="border-b [&>th]:px-4 [&>th]:py-1.5 [&>th]:font-medium">
            <th scope="col">Member</th>
            <th scope="col">First request</th>
            <th scope="col">Refused request</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ member, first, other }) => (
            <tr key={member} className="border-b align-top last:border-0 [&>*]:px-4 [&>*]:py-2">
              <th scope="row" className="whitespace-nowrap font-medium font-mono text-xs">
                {member}
              </th>
              <td>
                <Value value={first} />
              </td>
              <td>
                <Value value={other} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === undefined) return <span className="text-soft">left out</span>;
  return (
    <code className="font-mono text-xs [overflow-wrap:anywhere]">
      {typeof value === "string" ? value : JSON.stringify(value)}
    </code>
  );
}

const STYLES = {
  running: { tone: "amber", label: "Running", icon: LoaderCircle },
  waiting: { tone: "amber", label: "Waiting for the processor", icon: Hourglass },
  done: { tone: "green", label: "Completed", icon: Check },
  expired: { tone: "neutral", label: "Expired", icon: Clock },
} as const;

/** A key's current state as text, color and icon. */
export function KeyStateBadge({ state }: { state: KeyState }) {
  const { tone, label, icon: Icon } = STYLES[state];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
      {label}
    </Badge>
  );
}
