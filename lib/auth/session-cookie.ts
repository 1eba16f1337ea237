import { decode, type JWT } from "next-auth/jwt";
import type { Audience } from "@/lib/contract/accounts/proof";

const NAMES = { merchant: "cardlane.session", staff: "cardlane.staff" } as const;

/** Whether cookies may only travel encrypted: wherever the service itself is reached that way. */
export const isSecure = (baseUrl: string): boolean => baseUrl.startsWith("https:");

/** Under https no other host of the domain, and no answer over plain http, can set a cookie of such a name. */
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

/** What one of our cookies holds, whichever of the keys it was made with; null for a cookie made by others. */
export async function readClaims(token: string | undefined, sessionKeys: readonly string[]): Promise<JWT | null> {
  for (const secret of sessionKeys) {
    try {
      return await decode({ ...(token !== undefined && { token }), secret, salt: "" });
    } catch {
      // Another key's, another service's, or made up: the same as none.
    }
  }
  return null;
}

function cookieValue(header: string | null, name: string): string | null {
  for (const part of (header ?? "").split(";")) {
    const [key, ...value] = part.split("=");
    if (key?.trim() === name) return value.join("=").trim();
  }
  return null;
}

/** Where to go after a sign-in: a path of our own, or `fallback`. A foreign address is not followed. */
export function safePath(next: string | null | undefined, fallback: string): string {
  if (!next?.startsWith("/")) return fallback;
  const base = "http://own.invalid";
  if (!URL.canParse(next, base)) return fallback;
  const url = new URL(next, base);
  // Dot segments may leave two slashes at the start, which a browser reads as a host.
  if (url.origin !== base || url.pathname.startsWith("//")) return fallback;
  return url.pathname + url.search + url.hash;
}
