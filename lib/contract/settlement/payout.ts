import { z } from "zod";
import { findCardNumber } from "@/lib/contract/card-numbers";
import { country, humanText, refuseCardNumber, timestamp } from "@/lib/contract/fields";
import { isValidIban } from "@/lib/contract/iban";
import { idOf } from "@/lib/contract/ids";

export const PAYOUT_STATUSES = ["PENDING", "IN_TRANSIT", "PAID", "FAILED"] as const;
export const payoutStatus = z.enum(PAYOUT_STATUSES);
export type PayoutStatus = z.infer<typeof payoutStatus>;

/** A bank account as shown: only the end of its number is stored. */
export const bankAccount = z
  .object({
    bank_name: z.string().describe("Name of the bank."),
    country: z.string().describe("ISO 3166-1 alpha-2 code of the bank's country."),
    last4: z.string().describe("Last four characters of its number."),
  })
  .meta({ id: "BankAccount" });

/** Money being paid out to the merchant's bank. Amounts in minor units. */
export const payout = z
  .object({
    id: idOf("payout").describe("Unique id of the payout."),
    object: z.literal("payout").describe("Always `payout`."),
    status: payoutStatus.describe(
      "`PENDING` and `IN_TRANSIT` become `PAID`, or `FAILED`, which returns the money to your balance.",
    ),
    amount: z
      .int()
      .min(1)
      .describe("In minor units: the net amounts of its settlement batches, plus `dispute_amount`."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    arrival_date: z.iso
      .date()
      .describe(
        "The day on which it reaches the bank: the first after its creation on which TARGET (EUR) or Fedwire (USD) is open; a weekday for other currencies.",
      ),
    settlement_batch_ids: z
      .array(idOf("settlementBatch"))
      .describe("The settlement batches it pays out, oldest first."),
    dispute_amount: z
      .int()
      .describe(
        "The part of the amount that disputes changed: negative if they took more, fees included, than they returned. The disputes are the balance's movements.",
      ),
    failure_reason: z.string().nullable().describe("Why the bank rejected it; null unless it failed."),
    bank_account: bankAccount.describe("Where it went."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When its status last changed."),
  })
  .meta({ id: "Payout" });
export type Payout = z.infer<typeof payout>;

/** Includes the account holder, for its owner. */
export type BankAccount = z.infer<typeof bankAccount> & { holder: string };

/** Destination of payouts until the merchant sets an account. */
export const TEST_BANK_ACCOUNT = {
  holder: "Test account",
  bank_name: "Sandbox Bank",
  country: "US",
  last4: "6789",
} as const;
/** Account numbers with this ending refuse every payout in the sandbox. */
export const FAILING_LAST4 = "0000";

const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** Users type spaces and hyphens. */
export const compactAccountNumber = (value: string): string => value.replace(/[\s-]/g, "").toUpperCase();

/** The country of an IBAN, or null for other account numbers. */
const ibanCountry = (value: string): string | null => {
  const number = compactAccountNumber(value);
  return IBAN.test(number) ? number.slice(0, 2) : null;
};

const accountNumber = z
  .string()
  .max(60)
  .refine(
    (value) => /^[A-Z0-9]{4,34}$/.test(compactAccountNumber(value)),
    "Enter an IBAN or an account number of 4 to 34 letters and digits.",
  )
  .refine(
    (value) => !IBAN.test(compactAccountNumber(value)) || isValidIban(compactAccountNumber(value)),
    "This IBAN has a typo: its check digits don't match.",
  )
  .superRefine((value, context) => {
    const number = compactAccountNumber(value);
    // Without their spaces, other digits would hide a card number; the groups of an IBAN can look like one.
    refuseCardNumber(IBAN.test(number) || findCardNumber(number) ? number : value, context);
  });

export const updateBankAccountBody = z
  .strictObject({
    holder: humanText(100),
    bank_name: humanText(100),
    country,
    account_number: accountNumber,
  })
  .refine((body) => (ibanCountry(body.account_number) ?? body.country) === body.country, {
    path: ["country"],
    message: "The IBAN belongs to another country.",
  });
export type UpdateBankAccountBody = z.infer<typeof updateBankAccountBody>;
