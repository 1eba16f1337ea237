import { changePassword } from "@/lib/contract/accounts/operations";
import { changePassword as change } from "@/lib/domain/accounts/password";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { POST } = dashboardRoutes(
  serve(changePassword, async ({ ctx, person }, { current_password, new_password }) => ({
    ended_sessions: await change(ctx, {
      currentPassword: current_password,
      newPassword: new_password,
      sessionId: person.sessionId,
    }),
  })),
);
