import { connector } from "../connector";
import { type AdyenCredentials, credentials } from "./credentials";
import { createAdyenProcessor } from "./processor";

export const ADYEN = connector<AdyenCredentials>({
  key: "adyen",
  label: "Adyen",
  report: "Payment accounting report",
  fields: [
    {
      name: "api_key",
      label: "API key",
      help: "Customer Area → Developers → API credentials. Its user needs the role Checkout webservice role.",
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
  ],
  credentials,
  webhook: {
    where:
      "Customer Area → Developers → Webhooks → Create new webhook → Standard webhook. Paste the address, choose JSON, and generate an HMAC key.",
    events: [
      "AUTHORISATION",
      "CAPTURE",
      "CAPTURE_FAILED",
      "CANCELLATION",
      "REFUND",
      "REFUND_FAILED",
      "REFUNDED_REVERSED",
      "NOTIFICATION_OF_CHARGEBACK",
      "REQUEST_FOR_INFORMATION",
      "CHARGEBACK",
      "CHARGEBACK_REVERSED",
      "SECOND_CHARGEBACK",
      "PREARBITRATION_WON",
      "PREARBITRATION_LOST",
    ],
    accepted: "[accepted]",
  },
  hint: ({ api_key, merchant_account }) => `${merchant_account}, key …${api_key.slice(-4)}`,
  create: (options) => createAdyenProcessor(options),
});
