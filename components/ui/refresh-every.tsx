"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Refreshes the page while something may still happen: often while a payment is under way, and never in the dark. */
export function RefreshEvery({ ms }: { ms: number }) {
  const router = useRouter();
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") router.refresh();
    };
    const timer = setInterval(look, ms);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [router, ms]);
  return null;
}
