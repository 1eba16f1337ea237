import { getCheckoutState } from "@/lib/contract/checkout/operations";
import { getState } from "@/lib/http/checkout";
import { publicRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = publicRoutes(serve(getCheckoutState, getState));
