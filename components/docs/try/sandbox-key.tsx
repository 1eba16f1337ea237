"use client";

import { type ComponentType, useState } from "react";
import { Button } from "@/components/ui/button";
import { useHydrated } from "@/components/ui/hooks";

/** Inserts the reader's own test key into a page's samples. Its code loads on the first click. */
export function SandboxKey() {
  const hydrated = useHydrated();
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle");
  const [Panel, setPanel] = useState<ComponentType | null>(null);

  async function load() {
    setState("loading");
    try {
      const { SandboxKeyPanel } = await import("./sandbox-key-panel");
      setPanel(() => SandboxKeyPanel);
    } catch {
      // The button shows the failure; another click retries.
      setState("failed");
    }
  }

  if (Panel) {
    return (
      <div className="rounded-md border p-4">
        <Panel />
      </div>
    );
  }
  return (
    <div className="space-y-2">
      <Button size="sm" pending={state === "loading"} disabled={!hydrated} onClick={load}>
        Fill in your test key
      </Button>
      {state === "failed" && (
        <p role="alert" className="text-red text-xs">
          This did not load. Check your connection and try again.
        </p>
      )}
    </div>
  );
}
