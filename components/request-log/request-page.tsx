import Link from "next/link";
import type { ReactNode } from "react";
import { objectHref } from "@/components/events/event-table";
import { Actor, HttpStatus } from "@/components/payments/request-list";
import { Banner } from "@/components/ui/banner";
import { Card, Facts } from "@/components/ui/card";
import { CodeFigure, CopyId } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import type { KeptBody, LoggedBody, RequestDetail } from "@/lib/contract/request-log/requests";
import type { Mode } from "@/lib/contract/transactions/words";
import { durationText, leftOutText } from "./request-table";

const LINK = "min-w-0 font-mono text-accent text-xs [overflow-wrap:anywhere] hover:underline";

type RequestFactsProps = {
  request: RequestDetail;
  /** Null in support, where objects and keys have no pages. */
  mode: Mode | null;
};

function RequestFacts({ request, mode }: RequestFactsProps) {
  const { object_id: objectId, idempotency_key: key } = request;
  const href = objectId && mode && objectHref(objectId, mode);
  return (
    <Card className="mb-4">
      <Facts
        columns={2}
        items={[
          { term: "Status", value: <HttpStatus status={request.status} /> },
          { term: "Time", value: <Time at={request.created_at} /> },
          { term: "Duration", value: durationText(request.duration_ms) },
          { term: "By", value: <Actor actor={request.actor} /> },
          { term: "Request", value: <CopyId id={request.id} label="Copy request id" /> },
          { term: "Endpoint", value: <span className="font-mono text-xs">{request.endpoint}</span> },
          {
            term: "Object",
            value:
              objectId &&
              (href ? (
                <Link href={href} className={LINK}>
                  {objectId}
                </Link>
              ) : (
                <CopyId id={objectId} label="Copy object id" />
              )),
          },
          {
            term: "Idempotency key",
            value: key && (
              <>
                {mode ? (
                  <Link href={`/${mode}/developers/idempotency?key=${encodeURIComponent(key)}`} className={LINK}>
                    {key}
                  </Link>
                ) : (
                  <CopyId id={key} label="Copy idempotency key" />
                )}
                {request.replayed && <span className="text-soft"> · replayed</span>}
              </>
            ),
          },
          { term: "Query", value: request.query && <code className="font-mono text-xs">{request.query}</code> },
          { term: "Address", value: request.address },
          { term: "User agent", value: request.user_agent },
        ]}
      />
    </Card>
  );
}

const NOTES: Record<KeptBody, string | null> = {
  whole: null,
  redacted: "Secrets, card numbers and unknown fields are not stored.",
  cut: "Shortened: only the first 16 kB are stored, or 2 kB of a read, without secrets.",
  left_out: "Too long to store.",
};

/** `shown`: the user may see bodies of this endpoint. */
function Body({ title, body, shown }: { title: string; body: LoggedBody; shown: boolean }) {
  if (!shown) return <p className="text-[13px] text-soft">{title}: your role doesn’t include this endpoint.</p>;
  if (body.kept === null) return <p className="text-[13px] text-soft">No {title.toLowerCase()}.</p>;
  const note = NOTES[body.kept];
  return (
    <div className="min-w-0">
      {body.text !== null && <CodeFigure title={title} code={pretty(body.text)} />}
      {note && <p className="mt-1 text-soft text-xs">{body.text === null ? `${title}: ${note}` : note}</p>}
    </div>
  );
}

const pretty = (text: string) => JSON.stringify(JSON.parse(text), null, 2);

type RequestViewProps = RequestFactsProps & {
  /** Action buttons. */
  children?: ReactNode;
};

/** A logged request in full. */
export function RequestView({ request, mode, children }: RequestViewProps) {
  return (
    <>
      {request.code && (
        <Banner tone="red" title={<span className="font-mono">{request.code}</span>} className="mb-4">
          {request.detail}
          {request.param && (
            <>
              {" "}
              Parameter: <span className="font-mono text-xs">{request.param}</span>
            </>
          )}
        </Banner>
      )}
      {request.left_out > 0 && (
        <Banner tone="amber" title={`${leftOutText(request.left_out)} right before this one`} className="mb-4">
          Too many requests arrived at once.
        </Banner>
      )}
      <RequestFacts request={request} mode={mode} />
      {children}
      <div className="mb-4 grid items-start gap-4 lg:grid-cols-2">
        <Body title="Request body" body={request.request} shown={request.bodies_shown} />
        <Body title="Response body" body={request.response} shown={request.bodies_shown} />
      </div>
      <CodeFigure title="As curl" code={request.curl} />
      <p className="mt-1 text-soft text-xs">
        It reads the API key from <code className="font-mono">$CARDLANE_KEY</code>
        {request.request.kept && request.request.kept !== "whole" && "; fill in what is redacted"}.
      </p>
    </>
  );
}
