/** Limits of merchants' logos. Without zod, because the browser's form has none. */
export const LOGO_TYPES = ["image/png", "image/jpeg", "image/webp"] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

export const MAX_LOGO_BYTES = 256 * 1024;
/** Width or height, in pixels. */
export const MAX_LOGO_SIDE = 2_000;

/** Encoded size: base64 takes four characters for three bytes, and the JSON around it a few more. */
export const MAX_LOGO_TEXT = Math.ceil(MAX_LOGO_BYTES / 3) * 4;

export const LOGO_RULES = "PNG, JPEG or WebP; at most 256 kB and 2000 × 2000 pixels.";

/** `/logo/…`: content-addressed by digest, so that the file never changes. */
export const logoPath = (sha256: Uint8Array): string =>
  `/logo/${[...sha256].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
