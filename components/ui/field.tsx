import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "./styles";

/** Props that a field's control must have. */
export type FieldControlProps = {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
};

export type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  /** Marks the field as optional; fields are required by default. */
  optional?: boolean;
  hideLabel?: boolean;
  /** Reserves a line that hint and error share, so that an error moves nothing about to be clicked. */
  reserved?: boolean;
  className?: string;
  children: (props: FieldControlProps) => ReactNode;
};

/** Connects label, control, hint and error. */
export function Field(props: FieldProps) {
  const { label, error, optional = false, hideLabel = false, reserved = false, className, children } = props;
  const id = useId();
  const hint = reserved && error ? null : props.hint;
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
      {reserved && !error && !hint && <span aria-hidden="true" className="h-5" />}
    </div>
  );
}

export function Input({ className, type = "text", ...rest }: ComponentProps<"input">) {
  return <input type={type} {...rest} className={cn("control", className)} />;
}

export function Textarea({ className, rows = 3, ...rest }: ComponentProps<"textarea">) {
  return <textarea rows={rows} {...rest} className={cn("control control-area", className)} />;
}

/** The native select, with the platform's list on phones too. Options are its children. */
export function Select({ className, children, ...rest }: ComponentProps<"select">) {
  return (
    <select {...rest} className={cn("control control-select", className)}>
      {children}
    </select>
  );
}
