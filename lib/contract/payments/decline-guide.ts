import type { DeclineCode } from "@/lib/contract/errors";

/** Each decline code: its meaning, the text for the shopper, and advice for the merchant. */
export const DECLINE_GUIDE: Record<DeclineCode, { meaning: string; say: string; advice: string }> = {
  generic_decline: {
    meaning: "The issuer gave no reason.",
    say: "Your bank declined the card. Use another card or call your bank.",
    advice: "Ask the customer to use another card or to call their bank. Trying the same card again rarely helps.",
  },
  insufficient_funds: {
    meaning: "Insufficient funds.",
    say: "Your bank declined the card. Use another card.",
    advice: "Ask the customer for another card, or try again in a few days.",
  },
  lost_card: {
    meaning: "The card was reported lost.",
    say: "Your bank declined the card. Use another card or call your bank.",
    advice: "Ask the customer for another card. Do not try this one again.",
  },
  stolen_card: {
    meaning: "The card was reported stolen.",
    say: "Your bank declined the card. Use another card or call your bank.",
    advice: "Do not try this card again. Review the order before you ship anything.",
  },
  expired_card: {
    meaning: "The card has expired.",
    say: "This card has expired. Use another card.",
    advice: "Ask the customer for another card, or for the new expiry date.",
  },
  incorrect_cvv: {
    meaning: "The security code is wrong.",
    say: "The security code is wrong. Check it and try again.",
    advice: "Ask the customer to check the security code and pay again.",
  },
  incorrect_number: {
    meaning: "The card number does not exist.",
    say: "The card number is wrong. Check it and try again.",
    advice: "Ask the customer to check the card number and pay again.",
  },
  authentication_failed: {
    meaning: "The shopper did not complete 3-D Secure.",
    say: "Your bank could not confirm that it's you. Try again or use another card.",
    advice: "Let the customer try again, or use another card.",
  },
  fraud_suspected: {
    meaning: "The risk score is too high.",
    say: "The payment was declined. Use another card.",
    advice: "Check what raised the score below. Review the order before you try the card again.",
  },
  processing_error: {
    meaning: "The issuer could not process the request.",
    say: "Your bank could not process the payment. Try again in a moment.",
    advice: "Try again in a few minutes, with a new idempotency key.",
  },
};
