"use client";

import { RotateCw } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useTransition } from "react";
import { useFormStatus } from "react-dom";
import { Button } from "@/components/ui/button";

/** Reloads the page's data. */
export function RefreshButton() {
  const router = useRouter();
  const [pending, start] = useTransition();
  return (
    <Button
      size="sm"
      pending={pending}
      icon={<RotateCw aria-hidden="true" />}
      onClick={() => start(() => router.refresh())}
    >
      Refresh
    </Button>
  );
}

/** Submits the form around it and shows progress. */
export function SubmitButton({ className, children }: { className?: string; children: ReactNode }) {
  const { pending } = useFormStatus();
  return (
    <Button type="submit" variant="primary" pending={pending} className={className}>
      {children}
    </Button>
  );
}
