import { type ReactNode, useId } from "react";
import { cn } from "./class-names";

/** What the control of a field must carry. */
export type FieldControlProps = {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
};

type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  /** Says so beside the label: what is required is the rule. */
  optional?: boolean;
  hideLabel?: boolean;
  className?: string;
  children: (props: FieldControlProps) => ReactNode;
};

/** Label, control, hint and error, tied together. */
export function Field({ label, hint, error, optional = false, hideLabel = false, className, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className={cn("flex min-w-0 flex-col gap-1.5", className)}>
      <label htmlFor={id} className={hideLabel ? "sr-only" : "font-medium text-[13px] leading-5"}>
        {label}
        {optional && <span className="font-normal text-soft"> (optional)</span>}
      </label>
      {children({
        id,
        "aria-describedby": describedBy || undefined,
        "aria-invalid": error ? true : undefined,
      })}
      {error && (
        <p id={`${id}-error`} className="text-red text-xs leading-5">
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-soft text-xs leading-5">
          {hint}
        </p>
      )}
    </div>
  );
}
