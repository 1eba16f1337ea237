import { attemptCheckout } from "@/lib/contract/dashboard/payment-form";
import { attempt } from "@/lib/http/checkout";
import { publicRoutes, serve } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = publicRoutes(serve(attemptCheckout, attempt));
