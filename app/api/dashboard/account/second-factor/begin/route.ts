import { beginSecondFactor } from "@/lib/contract/accounts/operations";
import { beginSecondFactor as begin } from "@/lib/domain/accounts/second-factor";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { POST } = dashboardRoutes(
  serve(beginSecondFactor, async ({ ctx }, { current_password }) => {
    const { secret, uri, qrSvg } = await begin(ctx, { currentPassword: current_password });
    return { secret, uri, qr_svg: qrSvg };
  }),
);
