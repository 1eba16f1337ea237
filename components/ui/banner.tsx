import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Failure } from "@/lib/client/use-form";
import { TONE_STYLES, type Tone } from "./badge";
import { CopyId } from "./copy";
import { cn } from "./styles";

type BannerProps = {
  tone?: Tone;
  title?: ReactNode;
  actions?: ReactNode;
  /** "alert" is announced immediately, "status" at the next pause. */
  role?: "alert" | "status";
  className?: string;
  children?: ReactNode;
};

const ICONS = {
  neutral: Info,
  accent: Info,
  blue: Info,
  violet: Info,
  green: CircleCheck,
  amber: TriangleAlert,
  red: CircleAlert,
};

export function Banner({ tone = "neutral", title, actions, role, className, children }: BannerProps) {
  const Icon = ICONS[tone];
  return (
    <div
      role={role}
      className={cn(
        "flex flex-wrap gap-x-2.5 gap-y-2 rounded-md px-3 py-2.5 text-[13px]",
        TONE_STYLES[tone],
        className,
      )}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 basis-48 text-ink">
        {title && <p className="font-medium">{title}</p>}
        {children}
      </div>
      {actions && <div className="flex shrink-0 items-center gap-2 self-center">{actions}</div>}
    </div>
  );
}

type FormFailureProps = { failure: Failure; className?: string; children?: ReactNode };

/** Error of a form as a whole, with the request id for support. */
export function FormFailure({ failure, className, children }: FormFailureProps) {
  if (failure.text === null) return null;
  return (
    <Banner tone="red" role="alert" className={className}>
      {failure.text} {children}
      {failure.requestId && (
        <span className="mt-0.5 flex items-center gap-1 text-soft text-xs">
          Request <CopyId id={failure.requestId} label="Copy request id" />
        </span>
      )}
    </Banner>
  );
}
