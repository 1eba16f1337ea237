import { replaceRecoveryCodes } from "@/lib/contract/accounts/operations";
import { replaceRecoveryCodes as replace } from "@/lib/domain/accounts/second-factor";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { POST } = dashboardRoutes(
  serve(replaceRecoveryCodes, async ({ ctx }, proof) => ({ recovery_codes: await replace(ctx, proof) })),
);
