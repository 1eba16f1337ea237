import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

type PaymentFormAsset = { version: string; integrity: string };
export type PaymentFormAssets = {
  script: { src: string; integrity: string };
  stylesheet: { href: string; integrity: string };
};

/**
 * Files of the payment form's page. The address contains the content's digest, so that neither a cache nor
 * someone who can write to `public` can give a shopper another script. Throws before a build.
 */
export function paymentFormAssets(): PaymentFormAssets {
  const folder = join(process.cwd(), "public", "sdk");
  const [script, stylesheet] = [
    paymentFormAsset(join(folder, "frame.js")),
    paymentFormAsset(join(folder, "frame.css")),
  ];
  return {
    script: { src: `/sdk/frame.js?v=${script.version}`, integrity: script.integrity },
    stylesheet: { href: `/sdk/frame.css?v=${stylesheet.version}`, integrity: stylesheet.integrity },
  };
}

const known = new Map<string, PaymentFormAsset & { mtimeMs: number; size: number }>();

/** The current content of a file; read again only if it changed. */
export function paymentFormAsset(file: string): PaymentFormAsset {
  const { mtimeMs, size } = statSync(file);
  const before = known.get(file);
  if (before && before.mtimeMs === mtimeMs && before.size === size) return before;
  const content = readFileSync(file);
  const digest = (algorithm: string) => createHash(algorithm).update(content);
  const asset = {
    mtimeMs,
    size,
    version: digest("sha256").digest("hex").slice(0, 12),
    integrity: `sha384-${digest("sha384").digest("base64")}`,
  };
  known.set(file, asset);
  return asset;
}

const NO_SNIFFING = { "X-Content-Type-Options": "nosniff" };

/** Any page may load the script, and gets a new version within minutes. */
const SCRIPT = {
  ...NO_SNIFFING,
  "Cache-Control": "public, max-age=300, stale-while-revalidate=86400",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Access-Control-Allow-Origin": "*",
};

/** Only our own page loads the form. */
const FORM = { ...NO_SNIFFING, "Cross-Origin-Resource-Policy": "same-origin" };

/** Sent by our own server, and by Next when it is the host. */
export const SDK_HEADERS: Readonly<Record<string, Record<string, string>>> = {
  "/sdk/v1.js": SCRIPT,
  "/sdk/v1.d.ts": { ...SCRIPT, "Content-Type": "text/plain; charset=utf-8" },
  "/sdk/frame.js": FORM,
  "/sdk/frame.css": FORM,
};

/** For files whose address contains their digest. */
export const FOREVER = "public, max-age=31536000, immutable";
/** For the tarballs of the client for Node, whose address contains their digest, too. */
export const TARBALL_HEADERS = { ...SCRIPT, "Cache-Control": FOREVER, "Content-Type": "application/gzip" };
