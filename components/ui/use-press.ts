"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { failureText } from "@/lib/client/api";
import { toast } from "./toast";

/**
 * What a button does that asks the service: it is pending meanwhile, the page is drawn anew after it, and a failure is said.
 * `call` says what came of it.
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
