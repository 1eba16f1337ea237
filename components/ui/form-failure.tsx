import type { Failure } from "@/lib/client/use-submit";
import { Banner } from "./banner";
import { CopyId } from "./copy-id";

type FormFailureProps = { failure: Pick<Failure, "text"> & Partial<Pick<Failure, "requestId">>; className?: string };

/** What went wrong with a form as a whole, with the request's id for support. */
export function FormFailure({ failure, className }: FormFailureProps) {
  if (failure.text === null) return null;
  return (
    <Banner tone="red" role="alert" className={className}>
      {failure.text}
      {failure.requestId && (
        <span className="mt-0.5 flex items-center gap-1 text-soft text-xs">
          Request <CopyId id={failure.requestId} label="Copy request id" />
        </span>
      )}
    </Banner>
  );
}
