import { attemptCheckout } from "@/lib/contract/checkout/operations";
import { attempt } from "@/lib/http/checkout";
import { publicRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = publicRoutes(serve(attemptCheckout, attempt));
