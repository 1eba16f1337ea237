import { endOtherSessions } from "@/lib/contract/accounts/operations";
import { endOtherSessions as endOthers } from "@/lib/domain/accounts/sessions";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { DELETE } = dashboardRoutes(
  serve(endOtherSessions, async ({ ctx, person }) => ({
    ended_sessions: await endOthers(ctx, { sessionId: person.sessionId }),
  })),
);
