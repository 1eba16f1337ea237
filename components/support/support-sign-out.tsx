"use client";

import { LogOut } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { signOut } from "@/lib/client/sign-out";

export function SupportSignOut() {
  const [pending, setPending] = useState(false);
  return (
    <Button
      variant="ghost"
      size="sm"
      pending={pending}
      icon={<LogOut aria-hidden="true" />}
      className="-mr-2"
      onClick={() => {
        setPending(true);
        signOut("staff").catch(() => {
          setPending(false);
          toast.error("You are still signed in: the service could not be reached.");
        });
      }}
    >
      Sign out
    </Button>
  );
}
