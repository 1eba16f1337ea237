import type { ComponentProps } from "react";
import { cn } from "./class-names";

/** The browser's own select: its list is the platform's, on phones too. Options are its children. */
export function Select({ className, children, ...rest }: ComponentProps<"select">) {
  return (
    <select {...rest} className={cn("control control-select", className)}>
      {children}
    </select>
  );
}
