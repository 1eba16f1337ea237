import { type Audience, readSessionId } from "@/lib/auth/session-cookie";
import { AppError } from "@/lib/contract/errors";
import { findSession, type SignedIn } from "@/lib/domain/people/session";
import { currentService } from "./current-service";

/** Who sent a request, by its session cookie; null when nobody is signed in. */
export async function signedIn(cookies: string | null, audience: Audience): Promise<SignedIn | null> {
  const { service } = currentService();
  const id = await readSessionId(cookies, audience, {
    baseUrl: service.baseUrl,
    sessionKeys: service.secret.sessionKeys,
  });
  const found = id === null ? null : await findSession(service, id);
  if (found === null) return null;
  return (found.person.role === "staff") === (audience === "staff") ? found : null;
}

/** For a request that only somebody who is signed in may make. */
export const sessionOver = () => new AppError("api_key_missing", "Your session has ended. Sign in again.");

/** A suspended merchant's people can look, but not act. */
export const merchantSuspended = () =>
  new AppError("merchant_suspended", "This merchant account is suspended. Contact support to have it reopened.");
