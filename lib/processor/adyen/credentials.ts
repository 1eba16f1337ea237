import { z } from "zod";
import type { CredentialField } from "../connector";

/**
 * Credentials of a connection to Adyen. Adyen creates the HMAC key with the webhook, once its address is
 * known.
 */
export const credentials = z.strictObject({
  api_key: z
    .string()
    .trim()
    .min(20, "An API key is longer: copy it whole.")
    .max(500)
    // Characters that a header can't carry would look like an unreachable Adyen.
    .regex(/^[\x21-\x7e]+$/, "An API key has only letters, digits and plain signs, and no spaces: copy it whole."),
  merchant_account: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9_.-]{1,80}$/, "Use the merchant account's name, such as ExampleShopECOM."),
  hmac_key: z
    .string()
    .trim()
    .regex(/^(?:[0-9A-Fa-f]{2}){16,64}$/, "An HMAC key has only the digits 0–9 and A–F: copy it whole.")
    .optional(),
  tokens_hmac_key: z
    .string()
    .trim()
    .regex(/^(?:[0-9A-Fa-f]{2}){16,64}$/, "An HMAC key has only the digits 0–9 and A–F: copy it whole.")
    .optional(),
  live_url_prefix: z
    .string()
    .trim()
    .regex(/^[a-z0-9]{8,40}-[A-Za-z0-9]{2,60}$/, "Use the prefix alone, such as 1797a841fbb37ca7-ExampleShop.")
    .optional(),
  client_key: z
    .string()
    .trim()
    .regex(/^(?:test|live)_[A-Z0-9]{20,64}$/, "A client key begins with test_ or live_.")
    .optional(),
});
export type AdyenCredentials = z.infer<typeof credentials>;

export const FIELDS: readonly CredentialField[] = [
  {
    name: "api_key",
    label: "API key",
    help: "Customer Area → Developers → API credentials. Its user needs the role Checkout webservice role and, to take card numbers here or remove stored cards, Merchant Recurring role.",
    secret: true,
    webhook: false,
    setting: "ADYEN_API_KEY",
  },
  {
    name: "merchant_account",
    label: "Merchant account",
    help: "The account's name, as the Customer Area shows it at the top, such as ExampleShopECOM.",
    secret: false,
    webhook: false,
    setting: "ADYEN_MERCHANT_ACCOUNT",
  },
  {
    name: "live_url_prefix",
    label: "Live URL prefix",
    help: "For live payments only: Customer Area → Developers → API URLs, such as 1797a841fbb37ca7-ExampleShop.",
    secret: false,
    webhook: false,
    optional: true,
    setting: "ADYEN_LIVE_URL_PREFIX",
  },
  {
    name: "client_key",
    label: "Client key",
    help: "For Adyen's card component on your pages: the same API credential, under Client settings.",
    secret: false,
    webhook: false,
    optional: true,
    setting: "ADYEN_CLIENT_KEY",
  },
  {
    name: "hmac_key",
    label: "HMAC key",
    help: "Made when you add the webhook: Customer Area → Developers → Webhooks → Security → HMAC key → Generate.",
    secret: true,
    webhook: true,
    setting: "ADYEN_HMAC_KEY",
  },
  {
    name: "tokens_hmac_key",
    label: "HMAC key for stored cards",
    help: "Of a second webhook, Recurring tokens life cycle events, with the same address. It tells when a stored card is renewed or removed.",
    secret: true,
    webhook: true,
    optional: true,
    setting: "ADYEN_TOKENS_HMAC_KEY",
  },
];
