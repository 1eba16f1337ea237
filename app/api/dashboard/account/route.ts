import { updateAccount } from "@/lib/contract/accounts/operations";
import { updateAccount as update } from "@/lib/domain/accounts/account";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { PATCH } = dashboardRoutes(
  serve(updateAccount, async ({ ctx }, { name, email, current_password }) => {
    const { pendingEmail, ...saved } = await update(ctx, { name, email, currentPassword: current_password ?? null });
    return { ...saved, pending_email: pendingEmail };
  }),
);
