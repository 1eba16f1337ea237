"use client";

import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/field";
import { useHydrated } from "@/components/ui/hooks";
import { cn } from "@/components/ui/styles";

/** A password field whose text can be shown. */
export function PasswordInput({ className, ...rest }: Omit<ComponentProps<"input">, "type">) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <input
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        {...rest}
        type={shown ? "text" : "password"}
        className={cn("control pr-9", className)}
      />
      <button
        type="button"
        aria-label="Show password"
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 flex w-9 items-center justify-center rounded text-soft hover:text-ink focus-visible:outline-offset-[-3px]"
      >
        <Icon aria-hidden="true" className="size-4" />
      </button>
    </div>
  );
}

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

/**
 * Sends a form of the pages before the sign-in. Until the page is alive it does nothing, without looking different: the
 * browser would send the form itself, and what was typed would be lost.
 */
export function SubmitButton({ pending, children }: { pending: boolean; children: ReactNode }) {
  const hydrated = useHydrated();
  return (
    <Button
      type="submit"
      variant="primary"
      pending={pending}
      disabled={!hydrated}
      className="h-9 disabled:cursor-auto disabled:opacity-100"
    >
      {children}
    </Button>
  );
}
