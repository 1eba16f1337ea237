import { updateCheckoutAppearanceOperation } from "@/lib/contract/checkout/operations";
import { updateCheckoutAppearance } from "@/lib/domain/checkout/appearance";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = dashboardRoutes(
  serve(updateCheckoutAppearanceOperation, async ({ ctx }: DashboardCall, { appearance }) => ({
    appearance: await updateCheckoutAppearance(ctx, { appearance }),
  })),
);
