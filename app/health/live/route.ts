import { healthRoute, live } from "@/lib/http/health";

export const dynamic = "force-dynamic";
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = healthRoute(live);
