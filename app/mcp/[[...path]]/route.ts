import { nextRoutes } from "@/lib/http/mcp/server";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nextRoutes;
