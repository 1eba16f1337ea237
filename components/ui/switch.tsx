import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "./class-names";

type SwitchProps = Omit<ComponentProps<"input">, "type" | "role"> & {
  /** Without a label, give `aria-label`. */
  label?: ReactNode;
  description?: ReactNode;
};

/** A setting that takes effect at once; in a form that is saved later, use a checkbox. */
export function Switch({ label, description, className, ...rest }: SwitchProps) {
  const descriptionId = useId();
  const control = (
    <input
      {...rest}
      type="checkbox"
      role="switch"
      aria-describedby={description ? descriptionId : rest["aria-describedby"]}
      className={cn("switch", className)}
    />
  );
  if (label === undefined) return control;
  return (
    <label className="flex items-start justify-between gap-6 text-[13px] has-disabled:opacity-60">
      <span>
        <span className="font-medium">{label}</span>
        {description && (
          <span id={descriptionId} className="block text-soft">
            {description}
          </span>
        )}
      </span>
      <span className="flex h-5 items-center">{control}</span>
    </label>
  );
}
