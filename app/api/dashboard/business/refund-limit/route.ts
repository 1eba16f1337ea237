import { updateRefundLimit } from "@/lib/contract/accounts/operations";
import { updateBusiness } from "@/lib/domain/accounts/business";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { PATCH } = dashboardRoutes(
  serve(updateRefundLimit, async ({ ctx }, input) => {
    await updateBusiness(ctx, input);
    return {};
  }),
);
