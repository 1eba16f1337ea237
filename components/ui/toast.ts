import type { ToastOptions } from "./toaster";

/** A short message at the edge of the window. What it needs is loaded with the first one. */
export const toast = {
  success: (message: string, options?: ToastOptions) => show("success", message, options),
  error: (message: string, options?: ToastOptions) => show("error", message, options),
};

function show(kind: "success" | "error", message: string, options?: ToastOptions): void {
  void import("./toaster").then(({ showToast }) => showToast(kind, message, options));
}
