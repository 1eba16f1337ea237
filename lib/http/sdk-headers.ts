/** Headers of what browsers load around a payment: ours to send, and Next's when Next's own server is the host. */
const NO_SNIFFING = { "X-Content-Type-Options": "nosniff" };

/** Any page may load the script, and learns of a new one within minutes. */
const SCRIPT = {
  ...NO_SNIFFING,
  "Cache-Control": "public, max-age=300, stale-while-revalidate=86400",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Access-Control-Allow-Origin": "*",
};

/** Only our own page loads the form. */
const FORM = { ...NO_SNIFFING, "Cross-Origin-Resource-Policy": "same-origin" };

export const SDK_HEADERS: Readonly<Record<string, Record<string, string>>> = {
  "/sdk/v1.js": SCRIPT,
  "/sdk/v1.d.ts": { ...SCRIPT, "Content-Type": "text/plain; charset=utf-8" },
  "/sdk/node.tgz": { ...SCRIPT, "Content-Type": "application/gzip" },
  "/sdk/frame.js": FORM,
  "/sdk/frame.css": FORM,
};

/** Of a form's file whose address has its digest. */
export const FOREVER = "public, max-age=31536000, immutable";
