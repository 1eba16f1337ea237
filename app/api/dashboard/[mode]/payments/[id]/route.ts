import { getPaymentDetail as operation } from "@/lib/contract/payments/operations";
import { getPaymentDetail } from "@/lib/domain/payments/payment-detail";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = dashboardRoutes(
  serve(operation, ({ ctx, params }: DashboardCall) => getPaymentDetail(ctx, { id: params.id ?? "" })),
);
