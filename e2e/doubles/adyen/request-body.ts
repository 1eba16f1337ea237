import type { Amount } from "./books";

/** One shape for every request body; each handler validates the fields it reads. */
export type Body = {
  merchantAccount?: string;
  reference?: string;
  amount?: Amount;
  paymentMethod?: Record<string, string | undefined>;
  shopperReference?: string;
  returnUrl?: string;
  captureDelayHours?: number;
  additionalData?: Record<string, string>;
  billingAddress?: { country?: string; stateOrProvince?: string };
  details?: { redirectResult?: string };
  storePaymentMethod?: boolean;
  shopperInteraction?: string;
  recurringProcessingModel?: string;
};

/** Null if the text is no JSON object. */
export function parsed(text: string): Body | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : null;
  } catch (failure) {
    if (failure instanceof SyntaxError) return null;
    throw failure;
  }
}
