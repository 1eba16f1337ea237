import { confirmSecondFactor } from "@/lib/contract/accounts/operations";
import { confirmSecondFactor as confirm } from "@/lib/domain/accounts/second-factor";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { POST } = dashboardRoutes(
  serve(confirmSecondFactor, async ({ ctx, person }, { code }) => ({
    recovery_codes: await confirm(ctx, { code, sessionId: person.sessionId }),
  })),
);
