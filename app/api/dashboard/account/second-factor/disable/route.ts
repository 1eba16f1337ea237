import { disableSecondFactor } from "@/lib/contract/accounts/operations";
import { disableSecondFactor as disable } from "@/lib/domain/accounts/second-factor";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { POST } = dashboardRoutes(
  serve(disableSecondFactor, async ({ ctx }, proof) => {
    await disable(ctx, proof);
    return {};
  }),
);
