import { z } from "zod";
import type { CredentialField } from "../connector";

/**
 * Credentials of a connection to Stripe. Stripe creates the signing secret with the webhook, once its address
 * is known.
 */
export const credentials = z.object({
  secret_key: z
    .string()
    .trim()
    .regex(
      /^(?:sk|rk)_(?:test|live)_\w+$/,
      "A secret key of Stripe's begins with sk_test_, sk_live_, rk_test_ or rk_live_.",
    ),
  webhook_secret: z
    .string()
    .trim()
    .regex(/^whsec_[\x21-\x7e]+$/, "A signing secret of Stripe's begins with whsec_.")
    .optional(),
});
export type StripeCredentials = z.infer<typeof credentials>;

export const FIELDS: readonly CredentialField[] = [
  {
    name: "secret_key",
    label: "Secret key",
    secret: true,
    webhook: false,
    setting: "STRIPE_SECRET_KEY",
    help: "In Stripe under Developers → API keys. A restricted key needs write access to PaymentIntents, Charges and Refunds, PaymentMethods, SetupIntents, Customers, Disputes and Files, and read access to Balance and Events.",
  },
  {
    name: "webhook_secret",
    label: "Webhook signing secret",
    secret: true,
    webhook: true,
    setting: "STRIPE_WEBHOOK_SECRET",
    help: "Stripe shows it once the webhook endpoint is made. It begins with whsec_.",
  },
];
