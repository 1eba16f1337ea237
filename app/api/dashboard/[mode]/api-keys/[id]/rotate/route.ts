import { rotateApiKeyOperation } from "@/lib/contract/api-keys/api-keys";
import { reissueApiKey } from "@/lib/domain/api-keys/reissue-api-key";
import { attemptContext } from "@/lib/http/attempt-context";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = dashboardRoutes(
  serve(rotateApiKeyOperation, ({ ctx, params }: DashboardCall, body) =>
    reissueApiKey(attemptContext(ctx, body), { id: params.id ?? "", overlap_hours: body.overlap_hours }),
  ),
);
