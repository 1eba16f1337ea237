"use client";

import { useEffect } from "react";
import { useSandboxKey } from "@/lib/client/docs/sandbox-key";

/** Writes the reader's own sandbox key into the samples, which are made on the server, and takes it out again. */
export function KeyInSamples() {
  const secret = useSandboxKey()?.secret ?? null;
  useEffect(() => {
    for (const place of document.querySelectorAll<HTMLElement>("[data-sandbox-key]")) {
      place.dataset.sandboxKey ||= place.textContent;
      place.textContent = secret ?? place.dataset.sandboxKey;
    }
  }, [secret]);
  return null;
}
