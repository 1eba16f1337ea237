import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "./styles";

type RadioCard<Value extends string> = {
  value: Value;
  label: ReactNode;
  description?: ReactNode;
  disabled?: boolean;
};

type RadioCardsProps<Value extends string> = {
  /** The question that the cards answer. */
  legend: ReactNode;
  hideLegend?: boolean;
  /** The form's field, so that it is focused when refused. */
  name?: string;
  options: readonly RadioCard<Value>[];
  value: Value | null;
  onChange: (value: Value) => void;
  error?: ReactNode;
  columns?: 1 | 2 | 3 | 4;
  className?: string;
};

const COLUMNS = { 1: "", 2: "sm:grid-cols-2", 3: "sm:grid-cols-3", 4: "sm:grid-cols-2 lg:grid-cols-4" };

/** Radio buttons as cards with a description, so that the arrow keys work. */
export function RadioCards<Value extends string>({
  legend,
  hideLegend = false,
  name,
  options,
  value,
  onChange,
  error,
  columns = 1,
  className,
}: RadioCardsProps<Value>) {
  const id = useId();
  return (
    <fieldset name={name} className={cn("min-w-0", className)} aria-describedby={error ? `${id}-error` : undefined}>
      <legend className={hideLegend ? "sr-only" : "mb-1.5 font-medium text-[13px]"}>{legend}</legend>
      <div className={cn("grid gap-2", COLUMNS[columns])}>
        {options.map((option, index) => (
          <label
            key={option.value}
            className="relative flex gap-2.5 rounded-md border px-3 py-2.5 text-[13px] hover:bg-raised has-checked:border-accent has-checked:bg-accent-ground has-disabled:opacity-60"
          >
            <span className="flex h-5 items-center">
              <input
                type="radio"
                className="radio"
                name={id}
                value={option.value}
                checked={value === option.value}
                disabled={option.disabled}
                onChange={() => onChange(option.value)}
                aria-labelledby={`${id}-${index}`}
                aria-describedby={option.description ? `${id}-${index}-more` : undefined}
              />
            </span>
            <span className="min-w-0">
              <span id={`${id}-${index}`} className="block font-medium">
                {option.label}
              </span>
              {option.description && (
                <span id={`${id}-${index}-more`} className="block text-soft text-xs leading-5">
                  {option.description}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-red text-xs">
          {error}
        </p>
      )}
    </fieldset>
  );
}

type SwitchProps = Omit<ComponentProps<"input">, "type" | "role"> & {
  /** Without a label, pass `aria-label`. */
  label?: ReactNode;
  description?: ReactNode;
};

/** A setting that takes effect immediately; in a form that is saved later, use a checkbox. */
export function Switch({ label, description, className, ...rest }: SwitchProps) {
  const ownId = useId();
  const id = rest.id ?? ownId;
  const descriptionId = `${id}-description`;
  const control = (
    <input
      {...rest}
      id={id}
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox exposes its checked state itself
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
