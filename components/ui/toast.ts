import type { ToastOptions } from "./toaster";

/** A brief message at the window's edge. Its code loads with the first one. */
export const toast = {
  success: (message: string, options?: ToastOptions) => show("success", message, options),
  error: (message: string, options?: ToastOptions) => show("error", message, options),
};

function show(kind: "success" | "error", message: string, options?: ToastOptions): void {
  void import("./toaster").then(({ showToast }) => showToast(kind, message, options));
}
