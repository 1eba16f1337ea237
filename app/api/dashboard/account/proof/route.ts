import { proveAgain } from "@/lib/contract/accounts/operations";
import { proveAgain as prove } from "@/lib/domain/accounts/proof";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = dashboardRoutes(
  serve(proveAgain, ({ ctx, person }: DashboardCall, { code, current_password }) =>
    prove(ctx, { person, code, password: current_password }),
  ),
);
