import { authHandler } from "@/lib/auth/next-auth";
import type { Audience } from "@/lib/auth/session-cookie";
import { currentService } from "./current-service";

type Handler = ReturnType<typeof authHandler>;

/** The GET and POST handlers of next-auth for one audience. Made at the first request, when the service is up. */
export function signInRoutes(audience: Audience): { GET: Handler; POST: Handler } {
  let handler: Handler | null = null;
  const handle: Handler = (request, context) => {
    handler ??= authHandler(currentService().service, audience);
    return handler(request, context);
  };
  return { GET: handle, POST: handle };
}
