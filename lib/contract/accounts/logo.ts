/** The merchant's logo: what it may be. Without zod, which the browser's form has not. */
export const LOGO_TYPES = ["image/png", "image/jpeg", "image/webp"] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

export const MAX_LOGO_BYTES = 256 * 1024;
/** Of a side, in pixels. */
export const MAX_LOGO_SIDE = 2_000;

/** As it is sent: base64 takes four characters for three bytes, and the JSON around it a few. */
export const MAX_LOGO_TEXT = Math.ceil(MAX_LOGO_BYTES / 3) * 4;

export const LOGO_RULES = "PNG, JPEG or WebP; at most 256 kB and 2000 × 2000 pixels.";

/** `/logo/…`: the digest of what is there is the address, so that it never changes. */
export const logoPath = (sha256: Uint8Array): string =>
  `/logo/${[...sha256].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
