import type { DeclineCode } from "./errors";

/** What each decline code means, and the words for the shopper. */
export const DECLINE_GUIDE: Record<DeclineCode, { meaning: string; say: string }> = {
  generic_decline: {
    meaning: "The issuer gave no reason.",
    say: "Your bank declined the card. Use another card or call your bank.",
  },
  insufficient_funds: {
    meaning: "The account or credit line does not cover the amount.",
    say: "Your bank declined the card. Use another card.",
  },
  lost_card: {
    meaning: "The card was reported lost.",
    say: "Your bank declined the card. Use another card or call your bank.",
  },
  stolen_card: {
    meaning: "The card was reported stolen.",
    say: "Your bank declined the card. Use another card or call your bank.",
  },
  expired_card: { meaning: "The card is past its expiry.", say: "This card has expired. Use another card." },
  incorrect_cvv: {
    meaning: "The security code is wrong.",
    say: "The security code is not right. Check it and try again.",
  },
  incorrect_number: {
    meaning: "The issuer does not know the number.",
    say: "The card number is not right. Check it and try again.",
  },
  authentication_failed: {
    meaning: "The shopper did not pass 3-D Secure.",
    say: "Your bank could not confirm that it is you. Try again or use another card.",
  },
  fraud_suspected: { meaning: "The risk score is too high.", say: "The payment was declined. Use another card." },
  processing_error: {
    meaning: "The issuer could not process the request.",
    say: "Your bank could not process the payment. Try again in a moment.",
  },
};
