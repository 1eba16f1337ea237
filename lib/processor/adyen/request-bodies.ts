import { mailableAddress } from "@/lib/contract/emails";
import type { BillingAddress } from "@/lib/contract/fields";
import type { RefundReason } from "@/lib/contract/transactions/words";
import type { StoreCardRequest } from "../cards";
import type { AuthorizeRequest, FollowUpRequest } from "../port";
import type { AdyenAmount } from "./amounts";
import type { PayableCard } from "./cards";

/** Adyen refuses payments with a longer origin. */
const MAX_ORIGIN_LENGTH = 80;

/** The body of `/payments`. Equal requests have equal bodies, as the key requires. */
export function paymentBody(
  merchantAccount: string,
  request: Pick<AuthorizeRequest, "reference" | "challengePage" | "capture" | "customerEmail" | "billingAddress">,
  amount: AdyenAmount,
  { paymentMethod, shopper }: PayableCard,
): object {
  const { reference, challengePage, capture, customerEmail, billingAddress } = request;
  const address = billingAddress && addressOf(billingAddress);
  const { origin } = new URL(challengePage);
  // Adyen refuses a payment with an address that it can't read.
  const shopperEmail = mailableAddress(customerEmail ?? "");
  return {
    merchantAccount,
    reference,
    amount,
    paymentMethod: { type: "scheme", ...paymentMethod },
    returnUrl: challengePage,
    channel: "Web",
    // Only challenges within the page need it.
    ...(origin.length <= MAX_ORIGIN_LENGTH && { origin }),
    shopperInteraction: "Ecommerce",
    // Challenges use a redirect, which works on every page.
    authenticationData: { threeDSRequestData: { nativeThreeDS: "disabled" } },
    ...shopper,
    ...(shopperEmail !== null && { shopperEmail }),
    ...(address && { billingAddress: address }),
    // Always explicit, because the account's default may be either.
    ...(capture ? { captureDelayHours: 0 } : { additionalData: { manualCapture: "true" } }),
  };
}

/** Adyen takes any currency for an amount of zero. */
export const NOTHING: AdyenAmount = { value: 0, currency: "USD" };

/** The body of a check: a payment of zero. */
export function checkBody(
  merchantAccount: string,
  { reference, challengePage, holder }: StoreCardRequest,
  card: PayableCard,
): object {
  const labels = { customerEmail: null, billingAddress: holder.address };
  return paymentBody(merchantAccount, { reference, challengePage, capture: false, ...labels }, NOTHING, card);
}

/**
 * An impossible payment: its stored card doesn't exist. Its reference isn't the payment's, so no webhook
 * names that.
 */
export function closingBody(merchantAccount: string, reference: string, amount: AdyenAmount): object {
  return {
    merchantAccount,
    reference: `closed-${reference}`,
    amount,
    paymentMethod: { type: "scheme", storedPaymentMethodId: "CLOSED0000000000" },
    shopperReference: `closed-${reference}`,
    shopperInteraction: "ContAuth",
    recurringProcessingModel: "CardOnFile",
    returnUrl: "https://cardlane.invalid/closed",
  };
}

const REFUND_REASONS: Readonly<Record<RefundReason, string>> = {
  DUPLICATE: "DUPLICATE",
  FRAUDULENT: "FRAUD",
  CUSTOMER_REQUEST: "CUSTOMER REQUEST",
  RETURN: "RETURN",
  OTHER: "OTHER",
};

export function modificationBody(
  kind: "capture" | "void" | "refund",
  merchantAccount: string,
  { reference, reason }: FollowUpRequest,
  amount: AdyenAmount | null,
): object {
  return {
    merchantAccount,
    reference,
    ...(kind !== "void" && { amount }),
    ...(kind === "refund" && reason && { merchantRefundReason: REFUND_REASONS[reason] }),
  };
}

/** Adyen only accepts complete addresses, and this text for missing parts. */
const NOT_GIVEN = "N/A";
const NO_COUNTRY = "ZZ";
/** Countries whose addresses need a state or province. */
const STATE_NEEDED: ReadonlySet<string> = new Set(["US", "CA"]);

function addressOf({ line1, line2, city, state, postal_code, country }: BillingAddress): object | null {
  if (line1 === null && postal_code === null) return null;
  const region = state !== null && /^[A-Z]{2,3}$/.test(state) ? state : null;
  const stateOrProvince = region ?? (country !== null && STATE_NEEDED.has(country) ? NOT_GIVEN : null);
  return {
    street: line1 ?? NOT_GIVEN,
    houseNumberOrName: line2 ?? NOT_GIVEN,
    city: city ?? NOT_GIVEN,
    postalCode: postalCodeOf(postal_code, country),
    country: country ?? NO_COUNTRY,
    ...(stateOrProvince !== null && { stateOrProvince }),
  };
}

/** Max 5 digits in the United States, max 10 characters elsewhere. */
function postalCodeOf(code: string | null, country: string | null): string {
  if (code === null) return NOT_GIVEN;
  return country === "US" ? code.slice(0, 5) : code.slice(0, 10);
}
