"use client";

import { RotateCw } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useTransition } from "react";
import { useFormStatus } from "react-dom";
import { Button } from "@/components/ui/button";

/** Shows the page as it is now. */
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

/** Submits the form around it, and shows that it is under way. */
export function SubmitButton({ className, children }: { className?: string; children: ReactNode }) {
  const { pending } = useFormStatus();
  return (
    <Button type="submit" variant="primary" pending={pending} className={className}>
      {children}
    </Button>
  );
}
