import { z } from "zod";
import type { CheckoutAttemptAnswer, CheckoutState } from "@/lib/contract/checkout";
import { checkoutAttemptBody } from "@/lib/contract/checkout-attempt";
import { dashboardOperation } from "@/lib/contract/dashboard-operation";

/** What the payment form asks of its own server. The token in the path is the shopper's whole right to it. */
export const getCheckoutState = dashboardOperation({
  name: "getCheckoutState",
  method: "GET",
  path: "/pay/{token}/state",
  permission: null,
  status: 200,
  response: z.custom<CheckoutState>(),
});

export const attemptCheckout = dashboardOperation({
  name: "attemptCheckout",
  method: "POST",
  path: "/pay/{token}/attempts",
  permission: null,
  body: checkoutAttemptBody,
  status: 200,
  response: z.custom<CheckoutAttemptAnswer>(),
});
