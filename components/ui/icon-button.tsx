"use client";

import type { ComponentProps, ReactNode } from "react";
import { Button, type ButtonVariant } from "./button";
import { cn } from "./class-names";
import { Tooltip } from "./tooltip";

type IconButtonProps = Omit<ComponentProps<typeof Button>, "children" | "icon" | "aria-label"> & {
  /** What it does: read aloud, and shown in a tooltip. */
  label: string;
  /** Shown behind the label in the tooltip, e.g. a key. */
  shortcut?: ReactNode;
  variant?: ButtonVariant;
  children: ReactNode;
};

export function IconButton({ label, shortcut, variant = "ghost", className, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip
      content={
        shortcut ? (
          <>
            {label} {shortcut}
          </>
        ) : (
          label
        )
      }
      describes={false}
    >
      <Button {...rest} variant={variant} aria-label={label} className={cn("button-icon", className)}>
        {children}
      </Button>
    </Tooltip>
  );
}
