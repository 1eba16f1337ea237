import { z } from "zod";
import { HOLDS_CARD_NUMBER } from "./card-numbers";
import { CHECKOUT_MODES, type CheckoutAttempt } from "./checkout";
import { holdsNoCardNumber, refuseOwnCard, textBesideCard } from "./fields";
import { cardInput } from "./payment";

/** Body of POST /pay/{token}/attempts. The card is in memory only, from here to the processor. */
export const checkoutAttemptBody = z
  .strictObject({
    // Thirteen digits in a row are no UUID: they could be a card's.
    attempt: z
      .string()
      .regex(/^(?![\w-]{0,63}\d{13})[\w-]{1,64}$/, "Use 1 to 64 letters, digits, dashes and underscores.")
      .refine(holdsNoCardNumber, HOLDS_CARD_NUMBER),
    mode: z.enum(CHECKOUT_MODES).default("payment"),
    card: cardInput,
    postal_code: textBesideCard(20).optional(),
  })
  .superRefine(refuseOwnCard) satisfies z.ZodType<CheckoutAttempt>;
export type CheckoutAttemptBody = z.infer<typeof checkoutAttemptBody>;
