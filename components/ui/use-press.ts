"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { failureText } from "@/lib/client/api";
import { toast } from "./toast";

/**
 * Behavior of a button that calls the service: pending during the call, then the page refreshes; a failure is
 * shown. `call` shows its own success.
 */
export function usePress<Args extends readonly unknown[]>(call: (...args: Args) => Promise<void>) {
  const router = useRouter();
  const [pending, setPending] = useState(false);

  async function press(...args: Args): Promise<void> {
    setPending(true);
    try {
      await call(...args);
      router.refresh();
    } catch (error) {
      toast.error(failureText(error));
    } finally {
      setPending(false);
    }
  }
  return { press, pending };
}
