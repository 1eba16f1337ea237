import { dashboardRoutes } from "@/lib/http/dashboard-endpoints";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = dashboardRoutes;
