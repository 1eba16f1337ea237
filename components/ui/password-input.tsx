"use client";

import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { cn } from "./class-names";

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
