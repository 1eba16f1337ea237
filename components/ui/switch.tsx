import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "./styles";

type SwitchProps = Omit<ComponentProps<"input">, "type" | "role"> & {
  /** Without a label, give `aria-label`. */
  label?: ReactNode;
  description?: ReactNode;
};

/** A setting that takes effect at once; in a form that is saved later, use a checkbox. */
export function Switch({ label, description, className, ...rest }: SwitchProps) {
  const ownId = useId();
  const id = rest.id ?? ownId;
  const descriptionId = `${id}-description`;
  const control = (
    <input
      {...rest}
      id={id}
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says itself whether it is checked
      role="switch" // oxlint-disable-line jsx-a11y/role-has-required-aria-props
      aria-describedby={description ? descriptionId : rest["aria-describedby"]}
      className={cn("switch", className)}
    />
  );
  if (label === undefined) return control;
  return (
    <label htmlFor={id} className="flex items-start justify-between gap-6 text-[13px] has-disabled:opacity-60">
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
