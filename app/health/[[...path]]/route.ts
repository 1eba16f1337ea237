import { nextRoutes } from "@/lib/http/dispatch";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nextRoutes;
