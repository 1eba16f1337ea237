import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { cn } from "./class-names";
import { Spinner } from "./spinner";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";
export type ButtonSize = "sm" | "md";

const VARIANTS: Record<ButtonVariant, string> = {
  primary: "button-primary",
  secondary: "button-secondary",
  ghost: "button-ghost",
  danger: "button-danger",
};

/** The looks of a button, for links that act like one. */
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

type ButtonProps = ComponentProps<"button"> & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Something is under way: shows it, keeps focus and width, and takes no further click. */
  pending?: boolean;
  icon?: ReactNode;
};

export function Button({
  variant,
  size,
  pending = false,
  icon,
  className,
  type = "button",
  onClick,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      {...rest}
      className={buttonStyles({ variant, size, className })}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      onClick={pending ? swallow : onClick}
    >
      {pending ? <Spinner /> : icon}
      {children}
    </button>
  );
}

function swallow(event: MouseEvent) {
  event.preventDefault();
  event.stopPropagation();
}
