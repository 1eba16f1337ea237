import { decode, type JWT } from "next-auth/jwt";
import type { Audience } from "@/lib/contract/accounts/sessions";

const NAMES = { merchant: "cardlane.session", staff: "cardlane.staff" } as const;

/** True if cookies are marked Secure, which requires that the service itself is reached over https. */
export const isSecure = (baseUrl: string): boolean => baseUrl.startsWith("https:");

/**
 * `__Host-` under https, so that no other host of the domain and no plain http response can set the cookie.
 */
export const cookieName = (name: string, baseUrl: string): string => `${isSecure(baseUrl) ? "__Host-" : ""}${name}`;

export const sessionCookieName = (audience: Audience, baseUrl: string): string => cookieName(NAMES[audience], baseUrl);

/** The session id (UUID) in a Cookie header; null when there is none, or when we did not issue it. */
export async function readSessionId(
  cookies: string | null,
  audience: Audience,
  options: { baseUrl: string; sessionKeys: readonly string[] },
): Promise<string | null> {
  const name = sessionCookieName(audience, options.baseUrl);
  const token = cookieValue(cookies, name);
  if (token === null) return null;
  const claims = await readClaims(token, options.sessionKeys);
  return claims?.audience === audience && typeof claims.session_id === "string" ? claims.session_id : null;
}

/** The claims in a cookie encrypted with any of the keys; null for a cookie that we did not issue. */
export async function readClaims(token: string | undefined, sessionKeys: readonly string[]): Promise<JWT | null> {
  for (const secret of sessionKeys) {
    try {
      return await decode({ ...(token !== undefined && { token }), secret, salt: "" });
    } catch {
      // Encrypted with another key, or forged: try the next key.
    }
  }
  return null;
}

export function cookieValue(header: string | null, name: string): string | null {
  for (const part of (header ?? "").split(";")) {
    const [key, ...value] = part.split("=");
    if (key?.trim() === name) return value.join("=").trim();
  }
  return null;
}

/** The path to open after a sign-in: one of our own, or `fallback` for any other URL. */
export function safePath(next: string | null | undefined, fallback: string): string {
  if (!next?.startsWith("/")) return fallback;
  const base = "http://own.invalid";
  if (!URL.canParse(next, base)) return fallback;
  const url = new URL(next, base);
  // Removing dot segments may leave two slashes at the start, which a browser reads as a host.
  if (url.origin !== base || url.pathname.startsWith("//")) return fallback;
  return url.pathname + url.search + url.hash;
}
