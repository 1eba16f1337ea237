import { revokeApiKeyOperation } from "@/lib/contract/api-keys/api-keys";
import { setKeyState } from "@/lib/domain/api-keys/change-keys";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = dashboardRoutes(
  serve(revokeApiKeyOperation, ({ ctx, params }: DashboardCall) =>
    setKeyState(ctx, { id: params.id ?? "", action: "revoke" }),
  ),
);
