import { updatePreferences } from "@/lib/contract/accounts/operations";
import { updatePreferences as update } from "@/lib/domain/accounts/account";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { PATCH } = dashboardRoutes(serve(updatePreferences, ({ ctx }, changes) => update(ctx, changes)));
