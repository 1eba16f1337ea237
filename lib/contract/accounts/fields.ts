import { z } from "zod";
import { isMailable, mailableAddress } from "@/lib/contract/emails";
import { isStorable, NOT_STORABLE, refuseCardNumber } from "@/lib/contract/fields";

export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 200;

/** Keeps surrounding blanks: `parseInput` doesn't trim such texts. */
const VERBATIM = { format: "password" };

/** A new password. It is checked against common passwords where it is set. */
export const newPassword = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `Choose a password of at least ${MIN_PASSWORD_LENGTH} characters.`)
  .max(MAX_PASSWORD_LENGTH, `Choose a password of at most ${MAX_PASSWORD_LENGTH} characters.`)
  .meta(VERBATIM);

/** No password is longer; hashing longer input would be cheap for the sender and expensive for us. */
export const MAX_GIVEN_PASSWORD_LENGTH = 1_000;
export const givenPassword = z
  .string()
  .min(1, "Enter your password.")
  .max(MAX_GIVEN_PASSWORD_LENGTH, "That isn't your password.")
  .meta(VERBATIM);

/** Six digits of the authenticator app, or a recovery code. */
export const givenCode = z.string().trim().min(6, "Enter the six-digit code from your authenticator app.").max(40);

const NO_EMAIL = "Enter an address that mail can be sent to, such as ada@example.com.";

/** Stored with its domain in `xn--` form, which exposes look-alike letters. */
export const emailAddress = z
  .string()
  .trim()
  .min(1, "Enter an e-mail address.")
  .overwrite((address) => mailableAddress(address) ?? address)
  .refine(isMailable, NO_EMAIL)
  .superRefine(refuseCardNumber);

/** Not allowed in names: markup, link prefixes, and invisible or bidirectional control characters. */
const NO_NAME = /[<>\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]|:\/\/|www\./iu;
const PLAIN_NAME = "Use a plain name, without links, angle brackets or line breaks.";

const nameOf = (what: string) =>
  z
    .string()
    .trim()
    .min(1, `Enter ${what}.`)
    .max(100, "Use at most 100 characters.")
    .refine(isStorable, NOT_STORABLE)
    .refine((text) => !NO_NAME.test(text), PLAIN_NAME)
    .superRefine(refuseCardNumber);

export const userName = nameOf("a name");
export const businessName = nameOf("the name of the business");

/** IANA name. The database checks separately that it knows the zone. */
export const timeZone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/, "Use a time zone such as Europe/Berlin.")
  .refine(isTimeZone, "Use a time zone such as Europe/Berlin.");

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Maps a form's empty field to null. */
const orNull = (text: string) => (text === "" ? null : text);

export const website = z
  .string()
  .trim()
  .max(200, "Use at most 200 characters.")
  .refine(
    (text) => text === "" || (isWebAddress(text) && isStorable(text)),
    "Enter an address such as https://example.com.",
  )
  .superRefine(refuseCardNumber)
  .transform(orNull);

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && hostname.includes(".");
}

export const supportEmail = z
  .string()
  .trim()
  .refine((text) => text === "" || isMailable(text), NO_EMAIL)
  .superRefine(refuseCardNumber)
  .transform(orNull);

/** Postal address of the business, with line breaks. */
export const businessAddress = z
  .string()
  .trim()
  .max(300, "Use at most 300 characters.")
  .refine(isStorable, NOT_STORABLE)
  .superRefine(refuseCardNumber)
  .transform(orNull);

/** VAT or other tax number of the business. */
export const taxNumber = z
  .string()
  .trim()
  .max(30, "Use at most 30 characters.")
  .refine((text) => /^[\p{L}\p{Nd} ./-]*$/u.test(text), "Use letters, digits, spaces, dots, slashes and hyphens.")
  .superRefine(refuseCardNumber)
  .transform(orNull);

/** Destination of mail: a mail server, the outbox page, or the console if there is neither. */
export type MailRoute = "sent" | "outbox" | "console";
