import { live } from "@/lib/http/health";
import { healthRoute } from "@/lib/http/health-route";

export const dynamic = "force-dynamic";
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = healthRoute(live);
