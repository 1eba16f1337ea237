import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button";
import { CopyId } from "./copy";

type ErrorStateProps = {
  title?: ReactNode;
  /** The problem and its remedy. */
  detail: ReactNode;
  /** For support: the request id or the page's digest. */
  requestId?: string | null;
  onRetry?: () => void;
  retrying?: boolean;
  /** Fills the page, so its title is the page's heading. */
  page?: boolean;
};

/** A failed load. An outage never looks like an empty list. */
export function ErrorState({
  title = "This could not be loaded",
  detail,
  requestId,
  onRetry,
  retrying = false,
  page = false,
}: ErrorStateProps) {
  const Heading = page ? "h1" : "h2";
  return (
    <section role="alert" className="flex flex-col items-center px-4 py-14 text-center text-[13px] text-soft">
      <span className="mb-3 flex size-9 items-center justify-center rounded-md bg-red-ground text-red">
        <CircleAlert aria-hidden="true" className="size-4.5" />
      </span>
      <Heading className="mb-1 font-semibold text-ink text-sm">{title}</Heading>
      <div className="max-w-xl">{detail}</div>
      {requestId && (
        <p className="mt-2 flex items-center gap-1.5 text-xs">
          Request <CopyId id={requestId} label="Copy request id" className="text-ink" />
        </p>
      )}
      {onRetry && (
        <Button className="mt-4" pending={retrying} onClick={onRetry}>
          Try again
        </Button>
      )}
    </section>
  );
}
