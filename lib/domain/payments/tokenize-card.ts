import { AppError } from "@/lib/contract/errors";
import type { CardInput } from "@/lib/contract/payments/payment";
import { ProcessorTimeoutError } from "@/lib/processor/deadline";
import type { Processor, TokenizedCard } from "@/lib/processor/port";

/** Gives a card to the processor, which keeps it for an account (the environment's id). Number and CVV go there and nowhere else. Throws `processor_error`, `processor_timeout`, or `invalid_parameter` where it takes none from us. */
export async function tokenizeCard(processor: Processor, account: string, card: CardInput): Promise<TokenizedCard> {
  if (!processor.capabilities.rawCards) {
    throw new AppError(
      "invalid_parameter",
      "The processor takes card numbers only through its own fields. Send a payment_token.",
      { param: "card" },
    );
  }
  try {
    return await processor.tokenize(account, card);
  } catch (error) {
    const [code, what] =
      error instanceof ProcessorTimeoutError
        ? (["processor_timeout", "The processor did not answer in time."] as const)
        : (["processor_error", "The processor could not be reached."] as const);
    throw new AppError(code, `${what} Nothing was charged; send the request again with the same key.`, {
      cause: error,
    });
  }
}
