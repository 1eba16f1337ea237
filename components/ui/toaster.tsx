"use client";

import { createRoot } from "react-dom/client";
import { toast as sonner, Toaster } from "sonner";
import "sonner/dist/styles.css";

export type ToastOptions = {
  description?: string;
  action?: { label: string; onClick: () => void };
};

let mounted = false;

/** Mounted outside the page's tree, so that no layout has to provide it. */
function mount(): void {
  if (mounted) return;
  mounted = true;
  const host = document.createElement("div");
  document.body.append(host);
  createRoot(host).render(
    <Toaster
      position="bottom-right"
      gap={8}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast: "toast",
          title: "font-medium",
          description: "text-soft",
          icon: "toast-icon",
          actionButton: "button button-secondary button-sm ml-auto",
          closeButton: "sr-only",
        },
      }}
    />,
  );
}

export function showToast(kind: "success" | "error", message: string, options?: ToastOptions): void {
  mount();
  // The list subscribes in its own effect, so an earlier toast would be lost.
  setTimeout(() => sonner[kind](message, options), 0);
}
