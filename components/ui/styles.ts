import { type ClassValue, clsx } from "clsx";

/**
 * Joins class names. Conflicts are not resolved (that would cost every page 7 kB): what a primitive lets its callers
 * override stands in the `components` layer of globals.css, where any utility wins over it.
 */
export function cn(...names: ClassValue[]): string {
  return clsx(names);
}

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";
export type ButtonSize = "sm" | "md";

const VARIANTS: Record<ButtonVariant, string> = {
  primary: "button-primary",
  secondary: "button-secondary",
  ghost: "button-ghost",
  danger: "button-danger",
};

/** A button's style, for links that act like one. */
export function buttonStyles({
  variant = "secondary",
  size = "md",
  className,
}: {
  variant?: ButtonVariant;
  size?: ButtonSize;
  className?: string;
} = {}): string {
  return cn("button", VARIANTS[variant], size === "sm" && "button-sm", className);
}
