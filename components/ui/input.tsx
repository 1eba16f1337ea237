import type { ComponentProps } from "react";
import { cn } from "./class-names";

export function Input({ className, type = "text", ...rest }: ComponentProps<"input">) {
  return <input type={type} {...rest} className={cn("control", className)} />;
}
