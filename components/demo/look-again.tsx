"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import type { ApiCall } from "@/lib/contract/demo-shop";
import { liveLog } from "./live-log";

const EVERY_MS = 2_000;

/** Writes the calls that made this page into the live log. */
export function RecordCalls({ calls }: { calls: ApiCall[] }) {
  useEffect(() => liveLog.addCalls(calls), [calls]);
  return null;
}

/** Asks the shop's server again while the outcome is not known. */
export function LookAgain() {
  const router = useRouter();
  useEffect(() => {
    const timer = setInterval(() => router.refresh(), EVERY_MS);
    return () => clearInterval(timer);
  }, [router]);
  return null;
}
