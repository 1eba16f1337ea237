import { resendInvitation } from "@/lib/contract/team/team";
import { resendInvitation as resend } from "@/lib/domain/team/team";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { POST } = dashboardRoutes(
  serve(resendInvitation, async ({ ctx, params }) => {
    await resend(ctx, { id: params.id ?? "" });
    return {};
  }),
);
