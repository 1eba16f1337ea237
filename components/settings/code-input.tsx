import type { ComponentProps } from "react";
import { Input } from "@/components/ui/input";

/** For six digits, or a recovery code. */
export function CodeInput(props: ComponentProps<"input">) {
  return (
    <Input
      {...props}
      autoComplete="one-time-code"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={40}
      className="font-mono tabular-nums tracking-wider"
    />
  );
}
