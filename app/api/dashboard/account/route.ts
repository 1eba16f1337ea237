import { updateAccount } from "@/lib/contract/dashboard/account";
import { updateAccount as update } from "@/lib/domain/people/update-account";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { PATCH } = dashboardRoutes(
  serve(updateAccount, async ({ ctx }, { name, email, current_password }) => {
    const user = await update(ctx, { name, email, currentPassword: current_password ?? null });
    return { name: user.name, email: user.email };
  }),
);
