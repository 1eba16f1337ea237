import { connector } from "../connector";
import { type AdyenCredentials, credentials, FIELDS } from "./credentials";
import { createAdyenProcessor } from "./processor";

export const ADYEN = connector<AdyenCredentials>({
  key: "adyen",
  label: "Adyen",
  report: "Payment accounting report",
  fields: FIELDS,
  credentials,
  webhook: {
    where:
      "Customer Area → Developers → Webhooks → Create new webhook → Standard webhook. Paste the address, choose JSON, and generate an HMAC key. To hear of stored cards, add a second webhook, Recurring tokens life cycle events, with the same address.",
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
