import { getIdempotencyKey as operation } from "@/lib/contract/idempotency/idempotency-key";
import { getIdempotencyKey } from "@/lib/domain/idempotency/inspect-keys";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = dashboardRoutes(
  serve(operation, ({ ctx }: DashboardCall, { key }) => getIdempotencyKey(ctx, { key })),
);
