import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { CopyId } from "@/components/ui/copy-id";
import { ApiError } from "@/lib/client/api";
import type { QueryProblem } from "@/lib/client/transaction-query";

type ProblemNoticeProps = { problems: readonly QueryProblem[]; onRemove: () => void };

/** Parts of the address that mean nothing here. They are left out, and said to be. */
export function ProblemNotice({ problems, onRemove }: ProblemNoticeProps) {
  if (problems.length === 0) return null;
  return (
    <Banner
      tone="amber"
      title="Part of this link was not understood and is not applied"
      actions={
        <Button size="sm" onClick={onRemove}>
          Remove it
        </Button>
      }
    >
      <ul>
        {problems.map(({ param, value, message }) => (
          <li key={`${param}=${value}`} className="[overflow-wrap:anywhere]">
            <code className="font-mono text-xs">
              {param}={value.slice(0, 60)}
            </code>{" "}
            {message}
          </li>
        ))}
      </ul>
    </Banner>
  );
}

type OutageNoticeProps = { error: Error; stale: boolean; retrying: boolean; onRetry: () => void };

/** The answer did not come: what is shown stays, and is said to be of before. */
export function OutageNotice({ error, stale, retrying, onRetry }: OutageNoticeProps) {
  const refused = error instanceof ApiError;
  return (
    <Banner
      tone="red"
      role="alert"
      title={stale ? "These filters could not be loaded" : "This list could not be brought up to date"}
      actions={
        <Button size="sm" pending={retrying} onClick={onRetry}>
          Try again
        </Button>
      }
    >
      <p>
        {refused ? error.detail : "No answer came. Check your connection."}{" "}
        {stale ? "The rows below are still those of the filters before." : "The rows below are as they were before."}
      </p>
      {refused && error.requestId && (
        <p className="flex items-center gap-1.5 text-soft text-xs">
          Request <CopyId id={error.requestId} label="Copy request id" className="text-ink" />
        </p>
      )}
    </Banner>
  );
}
