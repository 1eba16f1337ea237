import { resendVerification } from "@/lib/contract/accounts/operations";
import { resendVerification as resend } from "@/lib/domain/accounts/sign-up";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = dashboardRoutes(
  serve(resendVerification, ({ ctx, request }: DashboardCall) => resend(ctx, request.address)),
);
