"use client";

import type { ReactNode } from "react";
import { useFormStatus } from "react-dom";
import { Button } from "@/components/ui/button";

/** Submits the form around it, and shows that it is under way. */
export function SubmitButton({ className, children }: { className?: string; children: ReactNode }) {
  const { pending } = useFormStatus();
  return (
    <Button type="submit" variant="primary" pending={pending} className={className}>
      {children}
    </Button>
  );
}
