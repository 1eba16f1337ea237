"use client";

import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "./styles";

type CheckboxProps = Omit<ComponentProps<"input">, "type"> & {
  /** Partly selected. */
  indeterminate?: boolean;
  /** Without a label, pass `aria-label`. */
  label?: ReactNode;
  description?: ReactNode;
};

export function Checkbox({ indeterminate = false, label, description, className, ref, ...rest }: CheckboxProps) {
  const ownId = useId();
  const id = rest.id ?? ownId;
  const descriptionId = `${id}-description`;
  const box = (
    <input
      {...rest}
      id={id}
      type="checkbox"
      aria-describedby={description ? descriptionId : rest["aria-describedby"]}
      className={cn("checkbox", className)}
      ref={(element) => {
        if (element) element.indeterminate = indeterminate;
        if (typeof ref === "function") return ref(element);
        if (ref) ref.current = element;
      }}
    />
  );
  if (label === undefined) return box;
  return (
    <label htmlFor={id} className="flex items-start gap-2 text-[13px] has-disabled:opacity-60">
      <span className="flex h-5 items-center">{box}</span>
      <span>
        {label}
        {description && (
          <span id={descriptionId} className="block text-soft text-xs">
            {description}
          </span>
        )}
      </span>
    </label>
  );
}
