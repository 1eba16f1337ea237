import { healthRoute, ready } from "@/lib/http/health";

export const dynamic = "force-dynamic";
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = healthRoute(ready);
