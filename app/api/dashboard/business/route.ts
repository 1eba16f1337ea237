import { updateBusiness } from "@/lib/contract/accounts/operations";
import { updateBusiness as update } from "@/lib/domain/accounts/business";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { PATCH } = dashboardRoutes(
  serve(updateBusiness, async ({ ctx }, input) => {
    await update(ctx, input);
    return {};
  }),
);
