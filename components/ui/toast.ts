export type ToastOptions = {
  description?: string;
  action?: { label: string; onClick: () => void };
};

/** A short message at the edge of the window. What it needs is loaded with the first one. */
export const toast = {
  success: (message: string, options?: ToastOptions) => show("success", message, options),
  error: (message: string, options?: ToastOptions) => show("error", message, options),
};

export type ToastKind = keyof typeof toast;

function show(kind: ToastKind, message: string, options?: ToastOptions): void {
  void import("./toaster").then(({ showToast }) => showToast(kind, message, options));
}
