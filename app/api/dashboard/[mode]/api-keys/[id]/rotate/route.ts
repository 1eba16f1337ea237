import { rotateApiKeyOperation } from "@/lib/contract/api-keys/api-keys";
import { reissueApiKey } from "@/lib/domain/api-keys/issue-keys";
import { attemptContext } from "@/lib/http/caller";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = dashboardRoutes(
  serve(rotateApiKeyOperation, ({ ctx, params }: DashboardCall, body) =>
    reissueApiKey(attemptContext(ctx, body), { id: params.id ?? "", overlap_hours: body.overlap_hours }),
  ),
);
