import { CodeFigure } from "@/components/ui/copy";
import type { TriedResponse } from "@/lib/client/docs/try-request";

type TriedResponseViewProps = {
  answer: TriedResponse;
  /** True if the request is in the account's log. */
  showsLog: boolean;
};

/** The sandbox's response, unchanged. */
export function TriedResponseView({
  answer: { status, headers, durationMs, body, isOpen },
  showsLog,
}: TriedResponseViewProps) {
  const replayed = headers.some(([name]) => name === "Idempotent-Replayed");
  const requestId = headers.find(([name]) => name === "X-Request-Id")?.[1];
  return (
    <section aria-label="Response" className="space-y-2">
      <p role="status" className="text-[13px]">
        <span className={`font-medium font-mono ${status < 300 ? "text-green" : "text-red"}`}>{status}</span>{" "}
        <span className="text-soft">
          {isOpen ? "Still open: more may follow." : `${durationMs} ms`}
          {replayed && ". The stored response to the first request: nothing ran twice."}
        </span>
      </p>
      <dl className="space-y-0.5 font-mono text-xs">
        {headers.map(([name, value]) => (
          <div key={name} className="flex flex-wrap gap-x-2">
            <dt className="text-soft">{name}:</dt>
            <dd className="min-w-0 break-all">{value}</dd>
          </div>
        ))}
      </dl>
      {showsLog && requestId && !isOpen && (
        <p className="text-xs">
          <a
            href={`/test/developers/requests/${encodeURIComponent(requestId)}`}
            className="text-accent underline underline-offset-2"
          >
            Find it in the request log
          </a>
        </p>
      )}
      {body !== "" && <CodeFigure title="Body" code={body} />}
    </section>
  );
}
