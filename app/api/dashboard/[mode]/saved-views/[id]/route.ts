import { deleteSavedViewOperation, updateSavedViewOperation } from "@/lib/contract/transactions/saved-views";
import { deleteSavedView, updateSavedView } from "@/lib/domain/transactions/saved-views";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = dashboardRoutes(
  serve(updateSavedViewOperation, ({ ctx, person, params }: DashboardCall, body) =>
    updateSavedView(ctx, { ...body, userId: person.userId, role: person.role, id: params.id ?? "" }),
  ),
  serve(deleteSavedViewOperation, ({ ctx, person, params }: DashboardCall) =>
    deleteSavedView(ctx, { userId: person.userId, id: params.id ?? "" }),
  ),
);
