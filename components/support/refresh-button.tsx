"use client";

import { RotateCw } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTransition } from "react";
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
