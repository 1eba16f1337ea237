import { z } from "zod";
import { isMailable, mailableAddress } from "@/lib/contract/emails";
import { isStorable, NOT_STORABLE, refuseCardNumber } from "@/lib/contract/fields";

export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 200;

/** Keeps blanks: `parseInput` takes such texts as they are. */
const VERBATIM = { format: "password" };

/** A password that somebody chooses. Whether it is easy to guess is judged where it is set. */
export const newPassword = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `Choose a password of at least ${MIN_PASSWORD_LENGTH} characters.`)
  .max(MAX_PASSWORD_LENGTH, `Choose a password of at most ${MAX_PASSWORD_LENGTH} characters.`)
  .meta(VERBATIM);

/** No password is longer; hashing what is would cost whoever sends it nothing, and us a lot. */
export const MAX_GIVEN_PASSWORD_LENGTH = 1_000;
export const givenPassword = z
  .string()
  .min(1, "Enter your password.")
  .max(MAX_GIVEN_PASSWORD_LENGTH, "That isn't your password.")
  .meta(VERBATIM);

/** Six digits of the authenticator app, or a recovery code. */
export const givenCode = z.string().trim().min(6, "Enter the six-digit code from your authenticator app.").max(40);

const NO_EMAIL = "Enter an address that mail can be sent to, such as ada@example.com.";

/** Stored with the `xn--` name of its domain, which looks like no one else's address. */
export const emailAddress = z
  .string()
  .trim()
  .min(1, "Enter an e-mail address.")
  .overwrite((address) => mailableAddress(address) ?? address)
  .refine(isMailable, NO_EMAIL)
  .superRefine(refuseCardNumber);

/** What does not belong into a name: markup, the beginning of a link, and characters that hide or turn others around. */
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

/** IANA name. Whether the database knows it, too, is asked there. */
export const timeZone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/, "This is not a time zone.")
  .refine(isTimeZone, "This is not a time zone.");

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What an empty field of a form means. */
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

/** Where mail goes: to a mail server, into the outbox page, or to the console of the process, for there is neither. */
export type MailRoute = "sent" | "outbox" | "console";
