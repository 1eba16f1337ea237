import { encode } from "next-auth/jwt";
import type { Audience } from "@/lib/auth/session-cookie";
import type { Service } from "@/lib/domain/context";

/** What the cookie of a session holds, as next-auth writes it at a sign-in. `id` is the session's UUID. */
export const sessionToken = (service: Service, audience: Audience, id: string): Promise<string> =>
  encode({ token: { session_id: id, audience }, secret: service.secret.sessionKey, salt: "" });
