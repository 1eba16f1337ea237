"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Asks for the page anew while something may still happen: often while a payment is under way, and never in the dark. */
export function FollowSession({ everyMs }: { everyMs: number }) {
  const router = useRouter();
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") router.refresh();
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [router, everyMs]);
  return null;
}
