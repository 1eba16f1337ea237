import type { ComponentProps } from "react";
import { cn } from "./class-names";

export function Textarea({ className, rows = 3, ...rest }: ComponentProps<"textarea">) {
  return <textarea rows={rows} {...rest} className={cn("control control-area", className)} />;
}
