import { createApiKeyOperation } from "@/lib/contract/api-keys/api-keys";
import { issueApiKey } from "@/lib/domain/api-keys/issue-keys";
import { attemptContext } from "@/lib/http/caller";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = dashboardRoutes(
  serve(createApiKeyOperation, ({ ctx }: DashboardCall, body) => issueApiKey(attemptContext(ctx, body), body)),
);
