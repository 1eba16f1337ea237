import { createSavedViewOperation, listSavedViewsOperation } from "@/lib/contract/transactions/saved-views";
import { createSavedView, listSavedViews } from "@/lib/domain/transactions/saved-views";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = dashboardRoutes(
  serve(listSavedViewsOperation, async ({ ctx, person }: DashboardCall) => ({
    object: "list" as const,
    data: await listSavedViews(ctx, { userId: person.userId }),
  })),
  serve(createSavedViewOperation, ({ ctx, person }: DashboardCall, body) =>
    createSavedView(ctx, { ...body, userId: person.userId, role: person.role }),
  ),
);
