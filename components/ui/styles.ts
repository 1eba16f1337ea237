import { type ClassValue, clsx } from "clsx";

/**
 * Joins class names. It doesn't resolve conflicts, which would cost every page 7 kB: styles that callers may
 * override are in the `components` layer of globals.css, where any utility wins.
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

/** A button's style, for links that look like one. */
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
