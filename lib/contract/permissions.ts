import { z } from "zod";

/** Everything an API key can be allowed to do (contract, section 7). */
export const PERMISSIONS = [
  "payment.create",
  "payment.read",
  "transaction.read",
  "transaction.search",
  "transaction.capture",
  "transaction.void",
  "transaction.refund",
  "client_session.create",
  "subscription_plan.read",
  "subscription_plan.write",
  "webhook_endpoint.read",
  "webhook_endpoint.write",
  "event.read",
] as const;
export const permission = z.enum(PERMISSIONS);
export type Permission = z.infer<typeof permission>;
