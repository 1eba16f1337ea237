import { endSession } from "@/lib/contract/accounts/operations";
import { endOwnSession } from "@/lib/domain/accounts/sessions";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { DELETE } = dashboardRoutes(
  serve(endSession, async ({ ctx, params }) => {
    await endOwnSession(ctx, { id: params.id ?? "" });
    return {};
  }),
);
