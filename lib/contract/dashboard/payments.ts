import { z } from "zod";
import { dashboardOperation } from "@/lib/contract/dashboard-operation";
import { text } from "@/lib/contract/fields";
import type { KeyDetail } from "./idempotency-key";
import type { PaymentDetail } from "./payment-detail";

/** A payment with all that hangs on it, for its page and the side panel. */
export const getPaymentDetail = dashboardOperation({
  name: "getPaymentDetail",
  method: "GET",
  path: "/api/dashboard/{mode}/payments/{id}",
  permission: "payment.read",
  status: 200,
  response: z.custom<PaymentDetail>(),
});

/** One idempotency key, for the inspector, which looks again while the key has no answer. */
export const getIdempotencyKey = dashboardOperation({
  name: "getIdempotencyKey",
  method: "GET",
  path: "/api/dashboard/{mode}/idempotency-key",
  permission: "payment.read",
  query: z.strictObject({ key: text(255) }),
  status: 200,
  response: z.custom<KeyDetail>(),
});
