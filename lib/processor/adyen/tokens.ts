import { z } from "zod";
import type { CardBrand } from "@/lib/contract/transactions/words";

/**
 * What Adyen's card component encrypts in the shopper's browser, for Adyen alone. Never digits alone, and never the test
 * account's `test_4111…`: a card number in clear is no token, and would be kept with the payment.
 */
const encrypted = (most: number) =>
  z
    .string()
    .min(20)
    .max(most)
    .regex(/^[A-Za-z0-9+/=_.$-]+$/)
    .refine((text) => !/^(?:test_)?\d+$/.test(text));

const browserInfo = z.strictObject({
  acceptHeader: z.string().max(2_000),
  colorDepth: z.int32(),
  javaEnabled: z.boolean(),
  javaScriptEnabled: z.boolean().optional(),
  language: z.string().max(50),
  screenHeight: z.int32(),
  screenWidth: z.int32(),
  timeZoneOffset: z.int32(),
  userAgent: z.string().max(2_000),
});

const fields = z.strictObject({
  encryptedCardNumber: encrypted(15_000),
  encryptedExpiryMonth: encrypted(15_000),
  encryptedExpiryYear: encrypted(15_000),
  encryptedSecurityCode: encrypted(15_000),
  brand: z
    .string()
    .regex(/^[a-z_]{2,40}$/)
    .optional(),
  holderName: z
    .string()
    .max(200)
    // A number typed into the wrong field.
    .refine((text) => !/\d{4}/.test(text))
    .optional(),
  /** The component's own, for 3-D Secure. */
  browserInfo: browserInfo.optional(),
});
export type EncryptedFields = z.infer<typeof fields>;

const OWN = "adyen.";
const STORED = "adyen_stored.";

/** A token made of what the component gave to the merchant's page; null for any other text. */
export function readOwnToken(token: string): EncryptedFields | null {
  if (!token.startsWith(OWN)) return null;
  const encoded = token.slice(OWN.length);
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) return null;
  try {
    return fields.safeParse(JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"))).data ?? null;
  } catch (failure) {
    if (failure instanceof SyntaxError) return null;
    throw failure;
  }
}

export const ownToken = (given: EncryptedFields) =>
  OWN + Buffer.from(JSON.stringify(given), "utf8").toString("base64url");

/** A card that Adyen keeps for us for a while, by the subject under which the journal has it. */
export const storedToken = (subject: string) => STORED + subject;
export const subjectOfStored = (token: string) => (token.startsWith(STORED) ? token.slice(STORED.length) : null);

const BRANDS: Readonly<Record<string, CardBrand>> = {
  visa: "visa",
  mc: "mastercard",
  amex: "amex",
  discover: "discover",
};

/** Ours for Adyen's name of a card's network, such as `mc` or `visa_applepay`; null for one that the contract has no name for. */
export const brandOf = (name: string | undefined): CardBrand | null => BRANDS[name?.split("_")[0] ?? ""] ?? null;
