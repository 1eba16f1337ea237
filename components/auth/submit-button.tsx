"use client";

import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { useHydrated } from "@/components/ui/use-hydrated";

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
