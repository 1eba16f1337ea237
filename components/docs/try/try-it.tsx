"use client";

import { type ComponentType, useState } from "react";
import { Button } from "@/components/ui/button";
import { useHydrated } from "@/components/ui/hooks";
import type { TriedEndpoint } from "@/lib/client/docs/try-request";
import type { OpenApiDocument } from "@/lib/contract/openapi-document";

type Form = ComponentType<{ endpoint: TriedEndpoint; document: OpenApiDocument }>;
type Loaded = { Form: Form; endpoint: TriedEndpoint; document: OpenApiDocument };

/** Calls an endpoint from the reference. Its code loads on the first click. */
export function TryIt({ endpoint, summary }: { endpoint: string; summary: string }) {
  const hydrated = useHydrated();
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [open, setOpen] = useState(false);
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle");

  async function toggle() {
    if (loaded) {
      setOpen(!open);
      return;
    }
    setState("loading");
    try {
      const [{ TryForm }, { apiDocument, findEndpoint }] = await Promise.all([
        import("./try-form"),
        import("@/lib/client/docs/try-request"),
      ]);
      const document = await apiDocument();
      setLoaded({ Form: TryForm, endpoint: findEndpoint(document, endpoint), document });
      setOpen(true);
      setState("idle");
    } catch {
      // The button shows the failure; another click retries.
      setState("failed");
    }
  }

  return (
    <div className="space-y-3">
      <Button
        size="sm"
        pending={state === "loading"}
        disabled={!hydrated}
        aria-expanded={open}
        aria-label={`Try it: ${summary.toLowerCase()}`}
        onClick={toggle}
      >
        Try it
      </Button>
      {state === "failed" && (
        <p role="alert" className="text-red text-xs">
          The form did not load. Check your connection and try again.
        </p>
      )}
      {loaded && (
        <div hidden={!open} className="rounded-md border p-4">
          <loaded.Form endpoint={loaded.endpoint} document={loaded.document} />
        </div>
      )}
    </div>
  );
}
